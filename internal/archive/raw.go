package archive

import (
	"context"
	"encoding/base64"
	"unicode/utf8"

	"tapedeck/internal/store"
)

// Raw is a part of a session's raw records.
func (a *Archive) Raw(ctx context.Context, r RawRequest) (*RawList, error) {
	page, err := r.page()
	if err != nil {
		return nil, err
	}
	space, err := newRoom(r.MaxBytes)
	if err != nil {
		return nil, err
	}
	s, err := a.session(ctx, r.SessionID)
	if err != nil {
		return nil, err
	}
	list, err := a.store.Raw(ctx, s.ID, false, page)
	if err == nil && r.Bodies && len(list.Items) > 0 {
		list, err = a.rawBodies(ctx, s.ID, page, list, space)
	}
	if err != nil {
		return nil, sessionError(r.SessionID, err)
	}
	out := &RawList{SessionID: s.ID, Records: make([]RawItem, len(list.Items)), Total: list.Total, NextCursor: list.Next}
	for i, record := range list.Items {
		out.Records[i] = rawItem(record, space.left)
	}
	return out, nil
}

// rawBodies is the page again, with bodies, as far as there is room for them;
// always its first record.
func (a *Archive) rawBodies(ctx context.Context, sessionID string, page store.Page, known store.List[store.RawRecord], space *room) (store.List[store.RawRecord], error) {
	page.Limit = fitting(known.Items, space.left, func(r store.RawRecord) int64 { return r.Bytes })
	for {
		list, err := a.store.Raw(ctx, sessionID, true, page)
		if err != nil {
			return list, err
		}
		fits := fitting(list.Items, space.left, func(r store.RawRecord) int64 { return jsonBytes(rawItem(r, r.Bytes)) })
		if fits >= len(list.Items) {
			return list, nil
		}
		page.Limit = fits // the cursor behind what fits is the store's to make
	}
}

// fitting is how many records fit into left, at least one.
func fitting(records []store.RawRecord, left int64, size func(store.RawRecord) int64) int {
	for i, r := range records {
		if left -= size(r); left < 0 {
			return max(i, 1)
		}
	}
	return len(records)
}

// rawItem is a record as answers have it, with at most maxBytes of its body.
func rawItem(r store.RawRecord, maxBytes int64) RawItem {
	item := RawItem{RawRecord: r}
	body := r.Body
	item.RawRecord.Body = nil
	if int64(len(body)) > maxBytes {
		body, item.Cut = body[:maxBytes], true
		for n := 0; n < utf8.UTFMax && len(body) > 0 && utf8.Valid(r.Body) && !utf8.Valid(body); n++ {
			body = body[:len(body)-1] // a character was cut through
		}
	}
	if utf8.Valid(body) {
		item.Body = string(body)
	} else {
		item.BodyBase64 = base64.StdEncoding.EncodeToString(body)
	}
	return item
}
