package embedtest

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A Fault is what can be wrong with a server.
type Fault int

// Faults that a server tells of.
const (
	WrongPath    Fault = iota + 1 // something else is at the address
	Unauthorized                  // it refuses the key
	ModelMissing                  // it does not have the model
	TooLong                       // a text is longer than the model's window
	NoVector                      // the model computes NaN for a text
	Quota                         // the account has no money
	RateLimit                     // it was asked too often: again after 20 seconds
	Busy                          // it is overloaded
	Crashed                       // the model's process ended
)

// Faults that a server knows nothing of.
const (
	Down         Fault = iota + 100 // it breaks connections
	Slow                            // it answers after 30 seconds
	OtherWidth                      // its vectors have become wider
	FewerVectors                    // one vector is missing
	NotJSON                         // something else answers, with HTTP 200
	NoNumbers                       // a vector has null in it
	Huge                            // its answer is larger than any with vectors
	Elsewhere                       // it redirects to another host
)

// Break has the server fail until Mend.
func (s *Server) Break(f Fault) { s.BreakTimes(f, 0) }

// BreakTimes has the server fail for the next n requests.
func (s *Server) BreakTimes(f Fault, n int) {
	if reply, told := s.wire.refusals()[f]; told {
		s.instead(n, reply.write)
		return
	}
	s.instead(n, s.silent(f))
}

// silent does what a server does that knows nothing of its fault.
func (s *Server) silent(f Fault) http.HandlerFunc {
	switch f {
	case Down:
		return func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	case Slow:
		return func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-time.After(slowness):
				s.write(w, s.Width, s.last())
			case <-r.Context().Done():
			}
		}
	case OtherWidth:
		return func(w http.ResponseWriter, _ *http.Request) { s.write(w, s.Width+1, s.last()) }
	case FewerVectors:
		return func(w http.ResponseWriter, _ *http.Request) { s.write(w, s.Width, s.last()[1:]) }
	case NotJSON:
		return Reply{http.StatusOK, map[string]string{"Content-Type": "text/html"}, "<html>Please log in</html>"}.write
	case NoNumbers:
		return func(w http.ResponseWriter, _ *http.Request) {
			var answer strings.Builder
			s.wire.answer(&answer, s.Model, [][]float64{slices.Repeat([]float64{1.5}, s.Width)})
			_, _ = io.WriteString(w, strings.Replace(answer.String(), "1.5", "null", 1))
		}
	case Huge:
		return Reply{http.StatusOK, nil, strings.Repeat(" ", 16<<20)}.write
	case Elsewhere:
		return Reply{http.StatusTemporaryRedirect, map[string]string{"Location": "http://elsewhere.test/take?all=1"}, ""}.write
	}
	panic("embedtest: the server has no such fault")
}

// last are the texts of the last request.
func (s *Server) last() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[len(s.requests)-1].Texts
}
