package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// A guard decides who may call. A browser sends requests for any page it
// shows, so a server on loopback is within reach of every web site: by a
// foreign Origin, or by a name of the site's own that it makes point to
// 127.0.0.1 (DNS rebinding), which the Host header gives away.
type guard struct {
	hosts       map[string]bool // names besides loopback's, in lower case
	token       *[sha256.Size]byte
	crossOrigin *http.CrossOriginProtection
}

func newGuard(opt Options) *guard {
	g := &guard{hosts: configuredHosts(opt), crossOrigin: http.NewCrossOriginProtection()}
	if opt.Token != "" {
		sum := sha256.Sum256([]byte(opt.Token))
		g.token = &sum
	}
	return g
}

func (g *guard) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !g.knowsHost(r):
			writeError(w, http.StatusForbidden, "this server is not called "+printable(r.Host)+"; name it in allowed_hosts if it is")
		case !g.knowsOrigin(r), g.crossOrigin.Check(r) != nil:
			writeError(w, http.StatusForbidden, "requests of other web sites are refused")
		case !g.admits(r):
			w.Header().Set("WWW-Authenticate", `Bearer realm="tapedeck"`)
			writeError(w, http.StatusUnauthorized, "send the server's token: Authorization: Bearer TOKEN")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// knowsHost holds for loopback's names, names of the configuration, and the
// very address that the connection came in on, which no foreign name can be.
func (g *guard) knowsHost(r *http.Request) bool {
	name := hostname(r.Host)
	return isLoopback(name) || g.hosts[name] || isLocalAddress(r, name)
}

// knowsOrigin holds where no browser sent the request, or one did for a page
// of a host that could have been called itself. "null" is no such host.
func (g *guard) knowsOrigin(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	for _, origin := range origins {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" {
			return false
		}
		name := hostname(u.Host)
		if !isLoopback(name) && !g.hosts[name] && !isLocalAddress(r, name) {
			return false
		}
	}
	return true
}

// admits compares tokens by their sums, in a time that tells nothing of them.
// Health checks need none: they say nothing but that the server runs.
func (g *guard) admits(r *http.Request) bool {
	if g.token == nil || r.URL.Path == "/healthz" || r.URL.Path == "/readyz" {
		return true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1
}

// configuredHosts are the names that the configuration gives the server.
func configuredHosts(opt Options) map[string]bool {
	hosts := map[string]bool{}
	for _, host := range append([]string{opt.Listen}, opt.AllowedHosts...) {
		if name := hostname(host); name != "" {
			hosts[name] = true
		}
	}
	return hosts
}

// hostname is the name of a host or host:port, as names are compared.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

func isLoopback(name string) bool {
	if name == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.IsLoopback()
}

// isLocalAddress reports whether name is the address, as a number, at which the
// request's connection reached this machine.
func isLocalAddress(r *http.Request, name string) bool {
	ip, err := netip.ParseAddr(name)
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if err != nil || !ok {
		return false
	}
	at, err := netip.ParseAddrPort(local.String())
	return err == nil && at.Addr().Unmap() == ip.Unmap()
}

// printable is a header's value for an error message.
func printable(value string) string {
	const most = 100
	if len(value) > most {
		value = value[:most] + "..."
	}
	return strings.ToValidUTF8(value, "?")
}
