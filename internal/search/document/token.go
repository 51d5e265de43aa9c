package document

import (
	"encoding/base64"
	"strings"
)

// maxToken bounds a token and the header of a JWT: what is longer is none.
const maxToken = 512

// How secrets begin that are more than a prefix and a tail.
const (
	bearer     = "bearer "
	basic      = "basic "
	jwtBegin   = "eyJ"
	slackHooks = "hooks.slack.com/services/"
)

// A form is how the tokens of a provider look: a prefix, then at least min bytes
// of a set.
type form struct {
	prefix string
	min    int
	bytes  *byteSet
	kind   string
	isFake func(tail string) bool // nil: what is not drawn at random
}

// forms are those of the providers' documentation and of the scanners that they
// take part in. Minima are a little below what is given out today.
var forms = []form{
	{"AKIA", 16, upperByte, apiKey, isNoAWSKey},
	{"ASIA", 16, upperByte, apiKey, isNoAWSKey},
	{"ABIA", 16, upperByte, apiKey, isNoAWSKey},
	{"ghp_", 30, wordByte, accessToken, nil}, // GitHub
	{"gho_", 30, wordByte, accessToken, nil},
	{"ghs_", 30, wordByte, accessToken, nil},
	{"ghu_", 30, wordByte, accessToken, nil},
	{"ghr_", 30, wordByte, accessToken, nil},
	{"github_pat_", 40, wordByte, accessToken, nil},
	{"glpat-", 18, dottedByte, accessToken, nil}, // GitLab
	{"gldt-", 18, tokenByte, accessToken, nil},
	{"glrt-", 18, tokenByte, accessToken, nil},
	{"glptt-", 18, tokenByte, accessToken, nil},
	{"glcbt-", 18, tokenByte, accessToken, nil},
	{"sk-ant-", 20, tokenByte, apiKey, nil},
	{"sk-proj-", 20, tokenByte, apiKey, nil},
	{"sk-svcacct-", 20, tokenByte, apiKey, nil},
	{"sk-admin-", 20, tokenByte, apiKey, nil},
	{"sk-or-v1-", 20, tokenByte, apiKey, nil},
	{"sk-lf-", 20, tokenByte, apiKey, nil},
	{"sk-", 20, tokenByte, apiKey, hasNoLongPart},
	{"sk_live_", 16, wordByte, apiKey, nil}, // Stripe
	{"sk_test_", 16, wordByte, apiKey, nil},
	{"rk_live_", 16, wordByte, apiKey, nil},
	{"rk_test_", 16, wordByte, apiKey, nil},
	{"whsec_", 24, base64Byte, secret, nil},
	{"AIza", 30, tokenByte, apiKey, nil},        // Google
	{"ya29.", 20, dottedByte, accessToken, nil}, // Google OAuth
	{"GOCSPX-", 20, tokenByte, secret, nil},
	{"xoxb-", 16, tokenByte, accessToken, nil}, // Slack
	{"xoxa-", 16, tokenByte, accessToken, nil},
	{"xoxp-", 16, tokenByte, accessToken, nil},
	{"xoxr-", 16, tokenByte, accessToken, nil},
	{"xoxs-", 16, tokenByte, accessToken, nil},
	{"xoxe-", 16, tokenByte, accessToken, nil},
	{"xoxe.", 16, dottedByte, accessToken, nil},
	{"xapp-", 16, tokenByte, accessToken, nil},
	{"npm_", 30, alnumByte, accessToken, nil},
	{"pypi-", 40, tokenByte, accessToken, nil},
	{"hf_", 30, alnumByte, accessToken, nil}, // Hugging Face
	{"api_org_", 30, alnumByte, accessToken, nil},
	{"dop_v1_", 40, alnumByte, accessToken, nil}, // DigitalOcean
	{"doo_v1_", 40, alnumByte, accessToken, nil},
	{"dckr_pat_", 20, tokenByte, accessToken, nil},
	{"shpat_", 30, alnumByte, accessToken, nil}, // Shopify
	{"shpss_", 30, alnumByte, secret, nil},
	{"lin_api_", 30, alnumByte, apiKey, nil},
	{"figd_", 30, tokenByte, accessToken, nil},
	{"gsk_", 40, alnumByte, apiKey, nil}, // Groq
	{"xai-", 40, alnumByte, apiKey, nil},
	{"pplx-", 30, alnumByte, apiKey, nil},
	{"nvapi-", 40, tokenByte, apiKey, nil},
	{"tvly-", 24, tokenByte, apiKey, nil},
	{"r8_", 30, alnumByte, accessToken, nil}, // Replicate
	{"hvs.", 24, tokenByte, accessToken, nil},
	{"glsa_", 30, wordByte, accessToken, nil}, // Grafana
	{"sntrys_", 30, bearerByte, accessToken, nil},
	{"SG.", 40, dottedByte, apiKey, nil}, // SendGrid
	{"AGE-SECRET-KEY-1", 40, upperByte, privateKey, nil},
}

// formsOf are the forms by their first byte, the longest prefix first.
var formsOf = func() (byFirst [256][]form) {
	for _, f := range forms {
		byFirst[f.prefix[0]] = append(byFirst[f.prefix[0]], f)
	}
	return byFirst
}()

// mayBegin says of two bytes whether a secret may begin with them: nearly no word
// does, and most of the text is words.
var mayBegin = func() *[1 << 16]bool {
	var pairs [1 << 16]bool
	add := func(first, second byte) { pairs[int(first)<<8|int(second)] = true }
	for _, f := range forms {
		add(f.prefix[0], f.prefix[1])
	}
	for _, word := range []string{bearer, basic, jwtBegin, slackHooks} {
		for _, first := range []byte{word[0], word[0] &^ 0x20} {
			add(first, word[1])
			add(first, word[1]&^0x20)
		}
	}
	return &pairs
}()

// wordSecret is the end and kind of the secret that begins with the word at i; 0:
// none does. The text up to done is masked already.
func wordSecret(text string, i, done int) (end int, kind string) {
	if i+1 == len(text) || !mayBegin[int(text[i])<<8|int(text[i+1])] {
		return 0, ""
	}
	for _, f := range formsOf[text[i]] {
		if !strings.HasPrefix(text[i:], f.prefix) || f.prefix == "sk-" && i > done && text[i-1] == '-' {
			continue // task-sk-… is one name
		}
		start := i + len(f.prefix)
		end := f.bytes.runEnd(text[:min(len(text), start+maxToken)], start)
		for end > start && text[end-1] == '.' { // of the sentence
			end--
		}
		tail := text[start:end]
		fake := f.isFake
		if fake == nil {
			fake = isNotDrawn
		}
		if len(tail) >= f.min && (end == len(text) || !wordByte[text[end]]) && !fake(tail) {
			return end, f.kind
		}
	}
	switch text[i] | 0x20 {
	case 'b':
		return credentials(text, i)
	case 'e':
		return jwt(text, i)
	case 'h':
		return webhookPath(text, i)
	}
	return 0, ""
}

// isNotDrawn reports whether a tail is made up: `ghp_xxxxxxxx`, `sk-your-key-here`.
func isNotDrawn(tail string) bool { return !random(tail, 8) }

func isNoAWSKey(tail string) bool {
	const exactly = 16
	return len(tail) != exactly || strings.HasSuffix(tail, "EXAMPLE") || tallyOf(tail).digit == 0
}

// hasNoLongPart reports whether no part between dashes is long enough for a key:
// `sk-` begins the names of style classes as well.
func hasNoLongPart(tail string) bool {
	const long = 16
	for part := range strings.SplitSeq(tail, "-") {
		if len(part) >= long && random(part, 8) {
			return false
		}
	}
	return true
}

// jwt finds header.payload.signature. A signature may be empty, an encrypted one
// has two parts more.
func jwt(text string, i int) (end int, kind string) {
	const shortest = 8
	if !strings.HasPrefix(text[i:], jwtBegin) {
		return 0, ""
	}
	header := tokenByte.runEnd(text[:min(len(text), i+maxToken)], i)
	if header-i < shortest || header == len(text) || text[header] != '.' {
		return 0, ""
	}
	payload := tokenByte.runEnd(text, header+1)
	if payload-header <= shortest || payload == len(text) || text[payload] != '.' {
		return 0, ""
	}
	end = payload
	for end+1 < len(text) && text[end] == '.' && tokenByte[text[end+1]] {
		end = tokenByte.runEnd(text, end+1)
	}
	return end, accessToken
}

// credentials finds `Bearer TOKEN` and `Basic BASE64`. The scheme is masked with
// them.
func credentials(text string, i int) (end int, kind string) {
	switch {
	case hasPrefixFold(text[i:], bearer):
		start := i + len(bearer)
		end := bearerByte.runEnd(text, start)
		if tail := text[start:end]; len(tail) >= 16 && (random(tail, 6) || len(tail) >= 40 && random(tail, 10)) {
			return end, accessToken
		}
	case hasPrefixFold(text[i:], basic):
		start := i + len(basic)
		end := base64Byte.runEnd(text, start)
		tail := text[start:end]
		if len(tail) < 8 || len(tail) > 1024 {
			break
		}
		plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(tail, "="))
		if err == nil && strings.Contains(string(plain), ":") && isPrintable(plain) {
			return end, password
		}
	}
	return 0, ""
}

func isPrintable(text []byte) bool {
	for _, c := range text {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// webhookPath finds the addresses that whoever knows them may post to.
func webhookPath(text string, i int) (end int, kind string) {
	if !strings.HasPrefix(text[i:], slackHooks) {
		return 0, ""
	}
	start := i + len(slackHooks)
	end = start
	for end < len(text) && (wordByte[text[end]] || text[end] == '/') {
		end++
	}
	if end-start < 24 || isNotDrawn(text[start:end]) {
		return 0, ""
	}
	return end, webhook
}

func hasPrefixFold(text, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
}
