package document

import "strings"

// secretNames are how the names of secrets end, in small letters and without
// signs between the words; the first that fits says what kind it is.
var secretNames = []struct{ end, kind string }{
	{"password", password}, {"passwd", password}, {"passphrase", password}, {"pwd", password}, {"passcode", password},
	{"apikey", apiKey}, {"accesskey", apiKey}, {"authkey", apiKey}, {"accountkey", apiKey}, {"sharedkey", apiKey},
	{"secret", secret}, {"secretkey", secret}, {"privatekey", secret}, {"signingkey", secret}, {"encryptionkey", secret},
	{"masterkey", secret}, {"credential", secret}, {"credentials", secret},
	{"token", accessToken}, {"authorization", accessToken},
}

// within are those that tell a secret also where more follows, as in
// SECRET_KEY_BASE and DB_PASSWORD_PROD.
var within = []struct{ word, kind string }{
	{"password", password}, {"passwd", password}, {"apikey", apiKey}, {"accesskey", apiKey}, {"secret", secret},
}

// about are the ends of names of what is about a secret and none itself.
var about = []string{
	"file", "path", "dir", "name", "id", "ids", "count", "length", "len", "size", "type", "field", "label", "hint", "policy",
	"prompt", "reset", "url", "uri", "error", "required", "min", "max", "strength", "version", "manager", "at", "time", "date",
	"age", "expires", "expiry", "ttl", "input", "arn", "ref", "hash", "stdin", "env", "var", "format", "regex", "pattern",
	"check", "valid", "enabled", "store", "service", "provider", "engine", "scanner", "placeholder", "header", "prefix",
	"changed", "helper", "attempts", "list", "message", "test", "tests", "rules", "rounds", "cost", "encryption",
}

// kindOfName is the kind of secret that a name says its value is; "": none.
func kindOfName(name string) string {
	if len(name) < len("pwd") || len(name) > maxName {
		return ""
	}
	var letters [maxName]byte
	n := 0
	for i := range len(name) {
		c := name[i]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c >= 'a' && c <= 'z' {
			letters[n] = c
			n++
		}
	}
	if !hasStem(letters[:n]) {
		return ""
	}
	plain := string(letters[:n])
	for _, s := range secretNames {
		if strings.HasSuffix(plain, s.end) {
			return s.kind
		}
	}
	for _, s := range within {
		if strings.Contains(plain, s.word) {
			return kindUnlessAbout(plain, s.kind)
		}
	}
	return ""
}

// hasStem reports whether a word of the lists may be in a name: few names have one,
// and every colon asks.
func hasStem(name []byte) bool {
	for i := range max(0, len(name)-2) {
		switch string(name[i : i+3]) {
		case "pas", "pwd", "key", "sec", "cre", "tok", "aut":
			return true
		}
	}
	return false
}

func kindUnlessAbout(name, kind string) string {
	for _, end := range about {
		if strings.HasSuffix(name, end) {
			return ""
		}
	}
	return kind
}

// hides reports whether a value that is assigned to a secret's name is one, and
// not a placeholder, a path, a word or prose.
func hides(kind, value string, quoted bool) bool {
	const (
		fewest = 6
		long   = 12
	)
	if len(value) < fewest || len(value) > maxValue || strings.ContainsAny(value, " \t\n") || strings.Contains(value, "://") {
		return false
	}
	if isPlaceholder(value) || isMarked(value) || isPath(value) || isVersion(value) {
		return false
	}
	if len(value) >= long && random(value, 6) {
		return true
	}
	if isMadeUp(value) {
		return false
	}
	t := tallyOf(value)
	if kind == apiKey || kind == accessToken {
		return len(value) >= 2*long && t.digit > 0 && t.upper > 0 && t.lower > 0
	}
	if t.digit > 0 || strings.ContainsAny(value, "!@#$%^*?~+") {
		return kind == password || len(value) >= fewest+2
	}
	return quoted && len(value) >= long && t.other == 0
}

// isPlaceholder reports whether a value stands for another: a variable, a
// template, a blank to be filled.
func isPlaceholder(value string) bool {
	if strings.IndexByte("$<[{%(!*&#|", value[0]) >= 0 {
		return value[0] != '!' && value[0] != '*' && value[0] != '#' && value[0] != '&' || tallyOf(value).digit == 0
	}
	for _, sign := range []string{"${", "{{", "$(", "***", "...", "…", "process.env", "environ", "getenv", "Getenv", "ENV[", "secrets."} {
		if strings.Contains(value, sign) {
			return true
		}
	}
	return false
}

// isMadeUp reports whether a value says itself that it is none, or consists of
// one character.
func isMadeUp(value string) bool {
	plain := strings.ToLower(value)
	for _, word := range []string{
		"example", "your", "changeme", "change-me", "change_me", "placeholder", "redacted", "dummy", "xxx", "insert",
		"password", "passwd", "secret", "token", "apikey", "api-key", "api_key", "undefined", "required", "string", "optional",
	} {
		if strings.Contains(plain, word) {
			return true
		}
	}
	return strings.Trim(value, value[:1]) == ""
}

func isPath(value string) bool {
	for _, start := range []string{"/", "./", "../", "~/"} {
		if strings.HasPrefix(value, start) {
			return !random(value, 4)
		}
	}
	return len(value) > 2 && value[1] == ':' && (value[2] == '\\' || value[2] == '/')
}

// isVersion reports whether a value is one of a package: `^1.0.0`.
func isVersion(value string) bool {
	return strings.Contains(value, ".") && strings.Trim(strings.TrimLeft(value, "^~<>=v"), digits+".") == ""
}
