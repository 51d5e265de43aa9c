package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"tapedeck/internal/archive"
	"tapedeck/internal/nearest"
)

const (
	mediaJSON = "application/json"

	// maxChange is the most that a body of the API may bring: a name.
	maxChange = 64 << 10
	// mostAnswer bounds an answer unless more is asked for.
	mostAnswer = 1 << 20
	// leastAnswer is the least that max_bytes can ask for.
	leastAnswer = 1000
	// leastContent is where giving less content of one item no longer helps.
	leastContent = 100
)

// A refusal is a failure with a status of its own.
type refusal struct {
	status  int
	failure *archive.Error
}

func (r *refusal) Error() string { return r.failure.Message }

func refuse(status int, format string, a ...any) *refusal {
	return &refusal{status, &archive.Error{Code: codes[status], Message: fmt.Sprintf(format, a...)}}
}

// readJSON reads a body strictly: one JSON object, with all fields of T and no others.
func readJSON[T any](w http.ResponseWriter, r *http.Request) (T, error) {
	var value T
	if err := declaresJSON(r); err != nil {
		return value, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxChange))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return value, refuse(http.StatusRequestEntityTooLarge, "the body is over %d bytes", tooLarge.Limit)
	case err != nil:
		return value, refuse(http.StatusBadRequest, "the body could not be read")
	}
	given := map[string]json.RawMessage{}
	if err := json.Unmarshal(body, &given); err != nil || given == nil {
		return value, refuse(http.StatusBadRequest, "the body is no JSON object with %s", strings.Join(fieldsOf[T](), ", "))
	}
	if err := sameFields(given, fieldsOf[T]()); err != nil {
		return value, err
	}
	var wrongType *json.UnmarshalTypeError
	if err := json.Unmarshal(body, &value); errors.As(err, &wrongType) {
		return value, refuse(http.StatusBadRequest, "%s is a %s; it takes a %s", wrongType.Field, wrongType.Value, wrongType.Type)
	} else if err != nil {
		return value, refuse(http.StatusBadRequest, "the body can't be read: %v", err)
	}
	return value, nil
}

// declaresJSON checks the media type. A client that is no browser may leave it
// out, or send what curl -d does: see forSDK.
func declaresJSON(r *http.Request) error {
	declared := r.Header.Get("Content-Type")
	media, _, err := mime.ParseMediaType(declared)
	if err == nil && media == mediaJSON || !fromBrowser(r) && isCurlForm(declared) {
		return nil
	}
	return refuse(http.StatusUnsupportedMediaType, "the body is declared as %s; send %s", quoted(declared), mediaJSON)
}

// fieldsOf are the names of T's fields in JSON.
func fieldsOf[T any]() []string {
	var names []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

func sameFields(given map[string]json.RawMessage, wanted []string) error {
	for name := range given {
		if !slices.Contains(wanted, name) {
			r := refuse(http.StatusBadRequest, "there is no field %s; the body takes %s", quoted(name), strings.Join(wanted, ", "))
			r.failure.Nearest = nearest.Nearest(name, wanted, 3)
			return r
		}
	}
	for _, name := range wanted {
		if _, ok := given[name]; !ok {
			return refuse(http.StatusBadRequest, "the body lacks %s", strconv.Quote(name))
		}
	}
	return nil
}

// fit asks until the answer keeps to the call's max_bytes: first for fewer
// items, then for less content of the one that is left.
func fit[T any](c *call, ask func() (*T, error)) ([]byte, error) {
	most := mostAnswer
	if c.maxBytes > 0 {
		most = int(c.maxBytes)
	}
	for {
		found, err := ask()
		if err != nil {
			return nil, err
		}
		body, err := encode(found)
		if err != nil || len(body) <= most || !c.shrink(len(body), most) {
			return body, err
		}
	}
}

// shrink asks for less, in proportion to what was too much; false: there is
// nothing left to ask less of.
func (c *call) shrink(found, most int) bool {
	part := 0.9 * float64(most) / float64(found)
	switch {
	case c.limit > 1:
		c.limit = max(1, int(float64(c.limit)*part))
	case c.maxBytes > leastContent:
		c.maxBytes = max(leastContent, int64(float64(c.maxBytes)*part))
	default:
		return false
	}
	return true
}

// encode is JSON as this server writes it: on one line, "<" as it is.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

func writeBody(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", mediaJSON)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
