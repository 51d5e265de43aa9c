package archive

import (
	"encoding/json"
	"io"

	"tapedeck/internal/session"
)

// jsonlExport writes a line for the session, then one a trace, span and link:
// {"type": "span", "span": {…}}.
type jsonlExport struct{ encoder *json.Encoder }

func newJSONLExport(w io.Writer) *jsonlExport {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return &jsonlExport{encoder}
}

func (e *jsonlExport) session(s session.Session) error {
	return e.encoder.Encode(struct {
		Type    string      `json:"type"`
		Session SessionItem `json:"session"`
	}{"session", item(s)})
}

func (e *jsonlExport) trace(t session.Trace) error {
	t.Models = emptied(t.Models)
	return e.encoder.Encode(struct {
		Type  string        `json:"type"`
		Trace session.Trace `json:"trace"`
	}{"trace", t})
}

func (e *jsonlExport) span(s session.Span) error {
	return e.encoder.Encode(struct {
		Type string       `json:"type"`
		Span session.Span `json:"span"`
	}{"span", whole(s)})
}

// whole is a span whose lists are shown also when they are empty.
func whole(s session.Span) session.Span {
	s.Input, s.Output, s.Records = emptied(s.Input), emptied(s.Output), emptied(s.Records)
	if s.Attributes == nil {
		s.Attributes = map[string]string{}
	}
	return s
}

func (e *jsonlExport) links(links []session.Link) error {
	for _, l := range links {
		err := e.encoder.Encode(struct {
			Type string       `json:"type"`
			Link session.Link `json:"link"`
		}{"link", l})
		if err != nil {
			return err
		}
	}
	return nil
}
