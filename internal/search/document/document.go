// Package document makes the texts that are searched: one document a span, cut
// in chunks that an embedder takes.
//
// # What it promises
//
// It is pure: the same span gives the same document and chunks. Secrets (keys,
// tokens, PEM blocks) are masked before anything else sees a text. Base64,
// encrypted and binary parts are left out. Chunks are cut at the borders of
// sentences or lines, overlap a little, and together hold the whole document.
//
// # What it does not
//
// Masking knows secrets by their form (a provider's prefix, a PEM block, a URL's
// password) or by the name that they are assigned to. A random string that stands
// alone is no secret to it: it may as well be a hash or an identifier, which
// people search for. Lines of minified code stay: they hold identifiers.
package document

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"tapedeck/internal/session"
)

const (
	// maxText bounds a document, in bytes.
	maxText = 256 << 10
	// maxRaw is how much of a text is looked at. What is left of it is cut to its
	// bound in turn, so that the ragged ends of a raw cut seldom stay.
	maxRaw = 4 * maxText
	// leftOut stands where something was left out. It holds no word, as every word
	// in a document is found by a search.
	leftOut = "[…]"
)

// A Document is the text of a span that is searched.
type Document struct {
	SessionID string
	TraceID   string
	SpanID    string
	Kind      session.Kind // of the span: llm or tool
	Text      string       // masked; valid UTF-8 without NUL
	Hash      string       // of Text, hex: equal texts are found by it
}

// Of is the document of a span with its content; false when it has no text worth
// searching. Of an llm span it is the fresh user text and the answer, of a tool
// span the command, paths, errors and the ends of its output.
func Of(s session.Span) (Document, bool) {
	var text string
	switch s.Kind {
	case session.KindLLM:
		text = llmText(s)
	case session.KindTool:
		text = toolText(s)
	}
	if text == "" {
		return Document{}, false
	}
	hash := sha256.Sum256([]byte(text))
	return Document{
		SessionID: s.SessionID, TraceID: s.TraceID, SpanID: s.ID, Kind: s.Kind,
		Text: text, Hash: hex.EncodeToString(hash[:]),
	}, true
}

// readable is a text as it is searched: tidy, masked, without what no person
// reads.
func readable(text string) string {
	text = tidy(session.Clean(ends(text, maxRaw/2, maxRaw/2)))
	return strings.TrimSpace(withoutBlobs(Mask(text)))
}
