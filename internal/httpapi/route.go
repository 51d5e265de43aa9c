package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"

	"tapedeck/internal/archive"
	"tapedeck/internal/search"
)

// A route is one operation of the API. What registers it, checks its parameters,
// describes it to programs (/openapi.json) and to people (docs/http-api.md) all
// read it from here.
type route struct {
	method  string // GET stands for HEAD too
	path    string // as http.ServeMux has it
	name    string // operationId
	summary string
	about   string // what the summary leaves open
	params  []param
	fails   []int // statuses of failures besides those that every route can have
	operation
}

// An operation is what a route does, and the types of what it takes and gives.
type operation struct {
	takes reflect.Type // of a JSON body; nil: none
	gives []content    // the first is what it gives unless asked otherwise
	serve func(*service, http.ResponseWriter, *http.Request, arguments) error
}

// content is one form of an answer.
type content struct {
	mediaType string
	body      reflect.Type // nil: a text
}

// A call is one request for an operation of the archive.
type call struct {
	ops      archive.Operations
	search   search.Operations // nil: it is off
	args     arguments
	limit    int   // items of a page
	maxBytes int64 // of the content of an answer
}

// answers is the operation that answers with what run finds, as JSON. The answer
// keeps to max_bytes: if it is longer, less of it is asked for.
func answers[T any](run func(context.Context, *call) (*T, error)) operation {
	return operation{
		gives: []content{{mediaJSON, reflect.TypeFor[T]()}},
		serve: func(s *service, w http.ResponseWriter, r *http.Request, args arguments) error {
			c, err := s.call(args)
			if err != nil {
				return err
			}
			ctx, leave := callerOf(r.Context())
			defer leave()
			body, err := fit(c, func() (*T, error) { return run(ctx, c) })
			if err != nil {
				return err
			}
			writeBody(w, http.StatusOK, body)
			return nil
		},
	}
}

// changes is the operation that takes a JSON body and answers with what it made of it.
func changes[B, T any](run func(context.Context, *call, B) (*T, error)) operation {
	return operation{
		takes: reflect.TypeFor[B](),
		gives: []content{{mediaJSON, reflect.TypeFor[T]()}},
		serve: func(s *service, w http.ResponseWriter, r *http.Request, args arguments) error {
			c, err := s.call(args)
			if err != nil {
				return err
			}
			body, err := readJSON[B](w, r)
			if err != nil {
				return err
			}
			ctx, leave := callerOf(r.Context())
			defer leave()
			found, err := run(ctx, c, body)
			if err != nil {
				return err
			}
			text, err := encode(found)
			if err != nil {
				return err
			}
			writeBody(w, http.StatusOK, text)
			return nil
		},
	}
}

// says is the operation that writes its answer itself.
func says(serve func(*service, http.ResponseWriter, *http.Request, arguments) error, gives ...content) operation {
	return operation{gives: gives, serve: serve}
}

// call is a request's use of the archive.
func (s *service) call(args arguments) (*call, error) {
	if s.opt.Archive == nil {
		return nil, &archive.Error{
			Code:    archive.CodeStore,
			Message: "this server keeps no agent sessions",
			Hint:    "start one that has a store",
		}
	}
	return &call{
		ops: s.opt.Archive, search: s.opt.Search, args: args,
		limit: args.integer(paramLimit), maxBytes: int64(args.integer(paramMaxBytes)),
	}, nil
}

// register puts the routes of a table into a mux, those of one path together, so
// that another method is told which ones there are.
func (s *service) register(mux *http.ServeMux, table []route) {
	byPath := map[string][]route{}
	for _, r := range table {
		byPath[r.path] = append(byPath[r.path], r)
	}
	for path, methods := range byPath {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			method := r.Method
			if method == http.MethodHead {
				method = http.MethodGet
			}
			i := slices.IndexFunc(methods, func(m route) bool { return m.method == method })
			if i < 0 {
				refuseMethod(w, r, allowed(methods)...)
				return
			}
			s.answer(w, r, methods[i])
		})
	}
}

// allowed are the methods of routes of one path.
func allowed(routes []route) []string {
	var methods []string
	for _, r := range routes {
		methods = append(methods, r.method)
		if r.method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	return methods
}

// answer serves one request, and turns errors into failures.
func (s *service) answer(w http.ResponseWriter, r *http.Request, to route) {
	defer func() {
		fault := recover()
		if fault == nil {
			return
		}
		if fault == http.ErrAbortHandler {
			panic(fault)
		}
		s.log.Error("a request panicked", "route", to.path, "fault", fault, "stack", string(debug.Stack()))
		if sent, ok := w.(*statusWriter); ok && sent.begun {
			panic(http.ErrAbortHandler) // what came must not be taken for the whole
		}
		writeError(w, http.StatusInternalServerError, to.name+" failed by a fault of the server; its log says where")
	}()
	args, err := readArguments(r, to)
	if err == nil {
		err = to.serve(s, w, r, args)
	}
	if err != nil {
		s.fail(w, r, err)
	}
}

// fail answers with an error in the form that callers know.
func (s *service) fail(w http.ResponseWriter, r *http.Request, err error) {
	var known *archive.Error
	var ofSearch *search.Error
	var refused *refusal
	switch {
	case errors.As(err, &refused):
		writeFailure(w, refused.status, refused.failure)
		return
	case errors.As(err, &known):
	case errors.As(err, &ofSearch):
		same := archive.Error(*ofSearch)
		known = &same
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		known = &archive.Error{Code: archive.CodeCancelled, Message: "the request was cancelled"}
	default:
		known = &archive.Error{Code: archive.CodeInternal, Message: err.Error()}
	}
	if known.Code == archive.CodeInternal {
		s.log.LogAttrs(r.Context(), slog.LevelError, "a request failed",
			slog.String("path", r.URL.Path), slog.String("error", known.Message))
	}
	writeFailure(w, statusOf(known.Code), known)
}

// pathParams are the names in a path's braces.
func pathParams(path string) []string {
	var names []string
	for part := range strings.SplitSeq(path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			names = append(names, strings.TrimSuffix(name, "}"))
		}
	}
	return names
}
