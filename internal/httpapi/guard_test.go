package httpapi

import (
	"net/http"
	"strings"
	"testing"
)

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func TestGuard(t *testing.T) {
	type headers = map[string]string
	for _, tc := range []struct {
		name    string
		opt     Options
		headers headers
		status  int
		code    string
	}{
		{"plain", Options{}, nil, 200, ""},
		{"localhost", Options{}, headers{"Host": "localhost:8081"}, 200, ""},
		{"IPv6 loopback", Options{}, headers{"Host": "[::1]:8081"}, 200, ""},

		{"foreign host", Options{}, headers{"Host": "evil.com"}, 403, "forbidden"},
		{"foreign host with port", Options{}, headers{"Host": "evil.com:8081"}, 403, "forbidden"},
		{"host that begins like loopback", Options{}, headers{"Host": "localhost.evil.com"}, 403, "forbidden"},
		{"host that begins like an address", Options{}, headers{"Host": "127.0.0.1.evil.com"}, 403, "forbidden"},
		{"address of another machine", Options{}, headers{"Host": "192.0.2.7"}, 403, "forbidden"},
		{"listen host", Options{Listen: "robot.example:80"}, headers{"Host": "robot.example"}, 200, ""},
		{"allowed host", Options{AllowedHosts: []string{"Robot.Example"}}, headers{"Host": "robot.example:443"}, 200, ""},
		{"not the allowed host", Options{AllowedHosts: []string{"robot.example"}}, headers{"Host": "x.robot.example"}, 403, "forbidden"},

		{"foreign origin", Options{}, headers{"Origin": "http://evil.com"}, 403, "forbidden"},
		{"origin null", Options{}, headers{"Origin": "null"}, 403, "forbidden"},
		{"another port of this machine", Options{}, headers{"Origin": "http://localhost:3000"}, 403, "forbidden"},
		{"origin that is no URL", Options{}, headers{"Origin": "%%"}, 403, "forbidden"},
		{"cross-site by fetch metadata", Options{}, headers{"Sec-Fetch-Site": "cross-site"}, 403, "forbidden"},
		{"own origin", Options{}, headers{"Host": "localhost:8081", "Origin": "http://localhost:8081"}, 200, ""},
		{"own origin behind a proxy", Options{AllowedHosts: []string{"robot.example"}},
			headers{"Host": "robot.example", "Origin": "https://robot.example"}, 200, ""},
		{"origin of an allowed host, called by another name", Options{AllowedHosts: []string{"robot.example"}},
			headers{"Host": "localhost", "Origin": "https://robot.example"}, 403, "forbidden"},

		{"no token", Options{Token: "s3cret"}, nil, 401, "unauthorized"},
		{"wrong token", Options{Token: "s3cret"}, headers{"Authorization": "Bearer s3cre"}, 401, "unauthorized"},
		{"empty token", Options{Token: "s3cret"}, headers{"Authorization": "Bearer "}, 401, "unauthorized"},
		{"another scheme", Options{Token: "s3cret"}, headers{"Authorization": "Basic s3cret"}, 401, "unauthorized"},
		{"right token", Options{Token: "s3cret"}, headers{"Authorization": "bearer s3cret"}, 200, ""},
		{"host before token", Options{Token: "s3cret"}, headers{"Host": "evil.com"}, 403, "forbidden"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.opt.MCP = testServer(&fake{})
			headers := headers{"Content-Type": "application/json"}
			for name, value := range tc.headers {
				headers[name] = value
			}
			got := do(t, handler(tc.opt), "POST", "/v1/mcp", listTools, headers)
			if tc.code != "" {
				wantFailure(t, got, tc.status, tc.code)
			} else if text := read(t, got); got.StatusCode != tc.status || !strings.Contains(text, `"list_recordings"`) {
				t.Errorf("status %d: %.200s", got.StatusCode, text)
			}
			if challenge := got.Header.Get("WWW-Authenticate"); (tc.status == 401) != strings.HasPrefix(challenge, "Bearer") {
				t.Errorf("WWW-Authenticate %q with status %d", challenge, got.StatusCode)
			}
		})
	}
}

func TestTheSecretIsNotTold(t *testing.T) {
	got := do(t, handler(Options{Token: "s3cret", MCP: testServer(&fake{})}), "POST", "/v1/mcp", listTools, nil)
	if text := read(t, got); strings.Contains(text, "s3cret") {
		t.Errorf("the answer tells the token: %s", text)
	}
}

func TestHealthNeedsNoToken(t *testing.T) {
	for path, status := range map[string]int{"/healthz": 200, "/readyz": 200, "/": 401, "/v1/mcp": 401} {
		got := do(t, handler(Options{Token: "s3cret", MCP: testServer(&fake{})}), "GET", path, "", nil)
		if got.StatusCode != status {
			t.Errorf("GET %s: %d, want %d", path, got.StatusCode, status)
		}
	}
}

// A server that others reach by its number, not by a name, needs no
// allowed_hosts: no web site can have that number as its own.
func TestTheConnectionsOwnAddressIsKnown(t *testing.T) {
	h := handler(Options{Listen: "0.0.0.0:0", Insecure: true, MCP: testServer(&fake{})})
	if got := do(t, h, "GET", "/healthz", "", map[string]string{"Host": "127.0.0.1"}); got.StatusCode != http.StatusOK {
		t.Errorf("by its address: %d", got.StatusCode)
	}
	wantFailure(t, do(t, h, "GET", "/healthz", "", map[string]string{"Host": "10.1.2.3"}), 403, "forbidden")
}
