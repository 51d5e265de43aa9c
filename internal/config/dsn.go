package config

import (
	"net/url"
	"regexp"
	"strings"
)

// parseDSN takes the two forms that PostgreSQL's own tools take: a URL, and
// words like host=db dbname=tapes.
func parseDSN(raw any) (dsn, bool) {
	text, ok := raw.(string)
	text = strings.TrimSpace(text)
	if !ok || text == "" {
		return "", false
	}
	if strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://") {
		_, err := url.Parse(text)
		return dsn(text), err == nil
	}
	return dsn(text), !strings.Contains(text, "://") && strings.Contains(text, "=")
}

// dsnPassword is a password among words or parameters, in quotes or without.
var dsnPassword = regexp.MustCompile(`(?i)((?:ssl)?password\s*=\s*)('(?:[^'\\]|\\.)*'?|[^\s&]*)`)

// shown is the DSN without its password.
func (d dsn) shown() string {
	scheme, rest, isURL := strings.Cut(string(d), "://")
	if !isURL {
		return dsnPassword.ReplaceAllString(string(d), "${1}"+masked)
	}
	authority, path := rest, ""
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		authority, path = rest[:end], rest[end:]
	}
	if at := strings.LastIndex(authority, "@"); at >= 0 {
		user, _, has := strings.Cut(authority[:at], ":")
		if has {
			authority = user + ":" + masked + authority[at:]
		}
	}
	return scheme + "://" + authority + dsnPassword.ReplaceAllString(path, "${1}"+masked)
}
