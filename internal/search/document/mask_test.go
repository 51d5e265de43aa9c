package document

import (
	"strings"
	"testing"
)

// The secrets of these tests are none: they are put together from parts, so that
// scanners do not take this file for a leak.
const (
	drawn16  = "q7Rk2vXb9TmZ4wLc"
	drawn20  = drawn16 + "8nHd"
	drawn36  = drawn16 + "Yp3sGf6jUe1aKx5oQi0V"
	drawn48  = drawn36 + "Bt7zWy2mCr9h"
	drawn90  = drawn48 + drawn36 + "Lw4xP9"
	hex32    = "9f86d081884c7d659a2feaa0c55ad015"
	hex64    = hex32 + "a3bf4f1b2b0b822cd15d6c15b0f00a08"
	upper16  = "Q4ZB7XKM2WPLR5TD"
	pemLine  = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7Vp3kX2mR9tLz"
	pemLine2 = "q8Wn4bYc1sHd6fGj0aKe5oUiPxQvTr7yMl2zBw9hNg3CtEuJkS8dFp4RqZxV6m1A"
	b64      = "aHVudGVyMjpodW50ZXIyaHVudGVy"
)

func block(label, newline string) string {
	return dashes5 + "BEGIN " + label + dashes5 + newline + pemLine + newline + pemLine2 + newline + "Zx8=" + newline + dashes5 + "END " + label + dashes5
}

const dashes5 = "-----"

var jwtLike = "ey" + "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." + "ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0." + drawn36

var secrets = []struct{ name, text, want string }{
	{"pem", "a\n" + block("RSA PRIVATE KEY", "\n") + "\nb", "a\n[private key]\nb"},
	{"pem, openssh", block("OPENSSH PRIVATE KEY", "\r\n"), "[private key]"},
	{"pem, certificate", block("CERTIFICATE", "\n"), "[pem block]"},
	{"pem in JSON, of a service account", `{"private_key": "` + block("PRIVATE KEY", `\n`) + `\n"}`, `{"private_key": "[private key]\n"}`},
	{"pem with numbers of lines", "     1→" + dashes5 + "BEGIN EC PRIVATE KEY" + dashes5 + "\n     2→" + pemLine + "\n     3→" + dashes5 + "END EC PRIVATE KEY" + dashes5, "     1→[private key]"},
	{"pem without an end", dashes5 + "BEGIN PRIVATE KEY" + dashes5 + "\n" + pemLine + "\n" + pemLine2 + "\nnext", "[private key]\nnext"},
	{"pem without an end, numbered", dashes5 + "BEGIN PRIVATE KEY" + dashes5 + "\n  2→" + pemLine + "\n  3→" + pemLine2 + "\n  4→next", "[private key]\n  4→next"},
	{"pem without a beginning", "a\n" + pemLine + "\n" + pemLine2 + "\n" + dashes5 + "END PRIVATE KEY" + dashes5, "a\n[private key]"},
	{"pem behind a rule", "---" + block("PRIVATE KEY", "\n"), "---[private key]"},
	{"aws key", "id AKIA" + upper16 + ".", "id [api key]."},
	{"aws key of a session", "ASIA" + upper16, "[api key]"},
	{"aws secret", "aws_secret_access_key = " + drawn36 + "/Ab+", "aws_secret_access_key = [api key]"},
	{"aws secret, camel case", `secretAccessKey: "` + drawn36 + `aB/9"`, `secretAccessKey: "[api key]"`},
	{"github", "git clone with ghp" + "_" + drawn36, "git clone with [access token]"},
	{"github, oauth", "gho" + "_" + drawn36 + "\n", "[access token]\n"},
	{"github, server", "(ghs" + "_" + drawn36 + ")", "([access token])"},
	{"github, fine-grained", "github" + "_pat_" + drawn20 + "_" + drawn48, "[access token]"},
	{"github behind an escape", `\nghp` + "_" + drawn36 + `\n`, `\n[access token]\n`},
	{"github in colour, escaped", `\u001b[32mghp` + "_" + drawn36 + `\u001b[0m`, `\u001b[32m[access token]\u001b[0m`},
	{"github behind a percent escape", "a%3Dghp" + "_" + drawn36, "a%3D[access token]"},
	{"gitlab", "gl" + "pat-" + drawn20, "[access token]"},
	{"openai", "s" + "k-" + drawn48, "[api key]"},
	{"openai, project", "s" + "k-proj-" + drawn20 + "_" + drawn48 + "-x", "[api key]"},
	{"openai, in an environment", "OPENAI_API_KEY=s" + "k-" + drawn48, "OPENAI_API_KEY=[api key]"},
	{"anthropic", "s" + "k-ant-api03-" + drawn90, "[api key]"},
	{"openrouter", "s" + "k-or-v1-" + hex64, "[api key]"},
	{"google", "AI" + "zaSy" + drawn36[:33], "[api key]"},
	{"google, in a query", "https://maps.test/api?key=AI" + "zaSy" + drawn36[:33] + "&v=1", "https://maps.test/api?key=[api key]&v=1"},
	{"google oauth", "ya" + "29." + drawn48, "[access token]"},
	{"slack, bot", "xox" + "b-2914738104-2914738105-" + drawn20, "[access token]"},
	{"slack, person", "xox" + "p-" + drawn36, "[access token]"},
	{"slack webhook", "https://hooks.slack.com" + "/services/T02AB3CD4/B05EF6GH7/" + drawn20, "https://[webhook]"},
	{"stripe", "sk" + "_live_" + drawn20, "[api key]"},
	{"stripe, restricted", "rk" + "_live_" + drawn20, "[api key]"},
	{"stripe webhook", "wh" + "sec_" + drawn36, "[secret]"},
	{"npm", "//registry.example.org/:_authToken=npm" + "_" + drawn36, "//registry.example.org/:_authToken=[access token]"},
	{"pypi", "py" + "pi-AgEIcHlwaS5vcmc" + drawn48, "[access token]"},
	{"hugging face", "h" + "f_QwErTyUiOpAsDfGhJkLzXcVbNmQwErTyUi", "[access token]"},
	{"sendgrid", "S" + "G." + drawn20 + "." + drawn36, "[api key]"},
	{"jwt", "got " + jwtLike + ".", "got [access token]."},
	{"jwt, without a name", `"` + jwtLike + `"`, `"[access token]"`},
	{"bearer", "Authorization: Bearer " + drawn36, "Authorization: [access token]"},
	{"bearer, in curl", `curl -H "authorization: bearer ` + hex32 + `"`, `curl -H "authorization: [access token]"`},
	{"basic", "Authorization: Basic " + b64, "Authorization: [password]"},
	{"url", "postgres://app:pa55w0rd@db.test:5432/x", "postgres://app:[password]@db.test:5432/x"},
	{"url with an empty user", "redis://:hunter2@localhost", "redis://:[password]@localhost"},
	{"url, at sign in the password", "amqp://u:p@ss@mq/", "amqp://u:[password]@mq/"},
	{"url with a token", "https://" + drawn20 + "@git.test/x.git", "https://[access token]@git.test/x.git"},
	{"url with a token and a name", "https://ghp" + "_" + drawn36 + ":x-oauth-basic@git.test/", "https://[access token]@git.test/"},
	{"password behind an address", "uri=grpc://db:1234;password=p@55w0RD", "uri=grpc://db:1234;password=[password]"},
	{"password", "password=hunter2!", "password=[password]"},
	{"password, yaml", "  password: c0rrecthorse\n", "  password: [password]\n"},
	{"password, json", `{"password":"hunter22","a":1}`, `{"password":"[password]","a":1}`},
	{"password, json in json", `"{\"db_password\": \"hunter22\"}"`, `"{\"db_password\": \"[password]\"}"`},
	{"password, letters only", `"passwd": "correcthorsebattery"`, `"passwd": "[password]"`},
	{"password, go", `dbPassword := "hunter22"`, `dbPassword := "[password]"`},
	{"password, ruby", `:password => 'hunter22'`, `:password => '[password]'`},
	{"password, python index", `os.environ["DB_PASSWORD"] = "hunter22"`, `os.environ["DB_PASSWORD"] = "[password]"`},
	{"password, typed", `password: str = "hunter22"`, `password: str = "[password]"`},
	{"password, typescript", `const password : string = 'hunter22'`, `const password : string = '[password]'`},
	{"password, compared", `if password == "hunter22" {`, `if password == "[password]" {`},
	{"password, exported", "export PGPASSWORD=hunt(er22 && psql", "export PGPASSWORD=[password] && psql"},
	{"password, connection string", "Server=db;User Id=sa;Password=Hunter22;", "Server=db;User Id=sa;Password=[password];"},
	{"password, option", "mysql --password hunter22 db", "mysql --password [password] db"},
	{"password, option with a sign", "mysql --password=hunter22 db", "mysql --password=[password] db"},
	{"password, curl", "curl -u admin:hunter22 https://x.test", "curl -u admin:[password] https://x.test"},
	{"secret", "CLIENT_SECRET=" + drawn20, "CLIENT_SECRET=[secret]"},
	{"secret, rails", "SECRET_KEY_BASE: " + hex64, "SECRET_KEY_BASE: [secret]"},
	{"secret, django", `SECRET_KEY = 'k2!x@9$m` + drawn16 + `'`, `SECRET_KEY = '[secret]'`},
	{"api key, header", "X-Api-Key: " + hex32, "X-Api-Key: [api key]"},
	{"api key, query", "GET /v1?api_key=" + hex32 + "&q=1", "GET /v1?api_key=[api key]&q=1"},
	{"azure", "AccountName=x;AccountKey=" + drawn48 + "Ab+/==;EndpointSuffix=y", "AccountName=x;AccountKey=[api key];EndpointSuffix=y"},
	{"token", `"refresh_token": "` + drawn36 + `"`, `"refresh_token": "[access token]"`},
	{"token, uuid", "auth_token=3f2b8c1e-94d7-4a6b-b0e5-7c1d2f9a8e63", "auth_token=[access token]"},
	{"two on a line", "password=hunter22 token=" + drawn36, "password=[password] token=[access token]"},
}

func TestMaskHidesSecrets(t *testing.T) {
	for _, test := range secrets {
		t.Run(test.name, func(t *testing.T) {
			got := Mask(test.text)
			if got != test.want {
				t.Errorf("Mask(%q)\n got %q\nwant %q", test.text, got, test.want)
			}
			if again := Mask(got); again != got {
				t.Errorf("masked again: %q", again)
			}
		})
	}
}

var noSecrets = []string{
	"commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
	"session 3f2b8c1e-94d7-4a6b-b0e5-7c1d2f9a8e63",
	"github.com/google/go-cmp v0.7.0 h1:wk8382ETsv4JYUwZYw7Qf2GzGzlYj9r8P+2j3dZrG1Q=",
	"sha256:" + hex64,
	hex64 + "  tapedeck.tar.gz",
	`"integrity": "sha512-` + drawn48 + drawn36 + `=="`,
	"etag: W/\"" + hex32 + "\"",
	"aGVsbG8gd29ybGQ=",
	"internal/search/document/secretname_test.go:120:14: undefined: foo_bar",
	"error[E0308]: mismatched types", "bd-q3fy", "foo_bar.go:120",
	"thisIsAVeryLongIdentifierThatNobodyWouldEverWriteByHand2",
	"TestDeriveGoesOnFromACheckpointWhenNothingReachesBack/second_of_3",
	"AKIAIOSFODNN7" + "EXAMPLE",
	"AKIA is how keys begin",
	"ghp_" + strings.Repeat("x", 36), "ghp_", "ghp_short1",
	"gho_your_github_token_goes_here_please",
	"s" + "k-your-api-key-goes-here-please", "s" + "k-xxxxxxxxxxxxxxxxxxxxxxxx",
	"class=\"sk-toggleable__content-arrow-2 sk-estimator-id-12\"", "sk-folding-cube-animation-container",
	"pip install hf_transfer hf_hub_download_with_a_progress_bar2",
	"npm_config_registry_url_of_the_company=1", "npm_lifecycle_event",
	"eyJ is how a JWT begins", "eyJhbGci.short.x",
	"bearer authentication is required", "Bearer $TOKEN", "Bearer <token>", "Bearer ${GITHUB_TOKEN}",
	"Basic authentication", "basic functionality",
	"http://localhost:8080/@scope/pkg", "https://medium.com/@user:x", "git@github.com:org/repo.git", "ssh://git@github.com/org/repo",
	"https://user@host:8080/x", "postgres://app:${PGPASSWORD}@db/x", "https://user:<password>@host/", "https://user:[password]@host/",
	"http://[::1]:8081/v1/mcp",
	"password=", "password: ", "password:\n  next: line1", "password = getpass.getpass()", "password = args.password2",
	"password: string", "password?: string;", "Password string `json:\"password,omitempty\"`",
	`password: "Enter your password here 1"`, `"password": "********"`, `password: "your-password-1"`, "password=changeme1",
	"password=$DB_PASSWORD1", "PASSWORD=${PASS1:-}", "password={{ vault_password_1 }}", "password=%(password1)s", `password=os.environ["PW1"]`,
	"password_hash_rounds=12345678", "password_min_length: 12345678", "passwordResetUrl=/reset/abc123", "PASSWORD_FILE=/run/secrets/db1",
	"PWD=/home/user/src/project1", "OLDPWD=/tmp/a1/b2",
	"max_tokens: 4096", "token_count=123456789012345678", "total_tokens=123456", `tokens: ["a1","b2"]`,
	"token := scanner.Next()", "token = tokens[i+1]", "token=tokenizer_v2_base", `pad_token: "<|endoftext|>"`, "nextToken: null",
	`"key": "a1b2c3d4e5f6a7b8c9d0"`, `cache_key="` + hex32 + `"`, "primary_key: user_id_1", "public_key=" + hex32,
	"secretName: my-app-secret-1", "secret: /run/secrets/db_1", `secretKeyRef: {name: db1}`,
	"api_key=YOUR_API_KEY_1", "api_key: process.env.API_KEY_1", `api_key = os.getenv("KEY1")`, "apiKey: config.apiKey1", "API_KEY=xxx",
	"api_key: <your-key-1>", "docker run -u 1000:1000 image", "git push -u origin feature-1", "--password-stdin < file1", "--token-limit 12345678901234567890",
	"privateKey = jwtTestEC256PrivateKey", "d.colEncryptionKey1 = ColumnEncryptionKey1", `"parse-passwd": "^1.0.0"`, "db://[user[:password]@]host",
	`append(env, "PWD="+folder1, "x")`, "password_encryption=scram-sha-256",
	"std::string password1", "a ? b : c", "x == y", "-- comment", "-----", "----- BEGIN", dashes5 + "BEGIN", strings.Repeat("-", 80), "%", "%zz", `\`, `C:\new\table1`,
	"[api key] [access token]", "password=[password]",
}

func TestMaskLeavesTheRest(t *testing.T) {
	for _, text := range noSecrets {
		if got := Mask(text); got != text {
			t.Errorf("Mask(%q)\n got %q", text, got)
		}
	}
}

func TestThereAreEnoughCases(t *testing.T) {
	if len(secrets) < 60 || len(noSecrets) < 60 {
		t.Errorf("%d secrets, %d others", len(secrets), len(noSecrets))
	}
}

func FuzzMask(f *testing.F) {
	for _, test := range secrets {
		f.Add(test.text)
	}
	for _, text := range noSecrets {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once := Mask(text)
		if twice := Mask(once); twice != once {
			t.Errorf("Mask(%q) = %q, masked again %q", text, once, twice)
		}
	})
}

// Adversaries are texts in which much begins and nothing ends.
var adversaries = []string{
	"s" + "k-", "eyJ", "eyJ.", "token=", "token=\"", "token: ", "://", "://a:", "-", dashes5 + "BEGIN A" + dashes5, dashes5 + "END A" + dashes5, "bearer ", "data:", "data:,",
	`\u001b[`, "\x1b]", "\x1b[", "password=\\\"", "=", ":", "a.", " ", "\n", "[", "--token ", "AKIA", "\r", "\b", "gAAAA", "00 ", "。", "x. ",
}

func BenchmarkMask(b *testing.B) {
	prose := strings.Repeat("The upload test failed as the server closed the connection: see internal/upload/client.go:120.\n\tif err := c.send(ctx, part); err != nil {\n\t\treturn fmt.Errorf(\"sending part %d: %w\", part.N, err)\n\t}\n", 5000)
	b.Run("text", func(b *testing.B) {
		b.SetBytes(int64(len(prose)))
		for b.Loop() {
			Mask(prose)
		}
	})
	for _, piece := range adversaries {
		text := strings.Repeat(piece, 1<<20/len(piece))
		b.Run("repeated "+strings.ToValidUTF8(piece, "?"), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Mask(text)
			}
		})
	}
}
