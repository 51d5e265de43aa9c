package chat

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// A conversation builds steps, a second apart unless told otherwise.
type conversation struct {
	book  Book
	steps []*Step
	trace string
}

func (c *conversation) add(kind Kind, id, parent string, change func(*Step)) {
	n := int64(len(c.steps)+1) * 1e9
	s := &Step{Key: c.trace + "/" + id, Trace: c.trace, ID: id, Parent: parent, Kind: kind, Name: id, Order: n, End: n + 5e8}
	if change != nil {
		change(s)
	}
	c.steps = append(c.steps, s)
}

// model adds a call: input and output as JSON, or an output's plain text.
func (c *conversation) model(id, parent, input, output string) {
	c.add(Model, id, parent, func(s *Step) {
		s.Input = c.book.Keep(Read(gjson.Parse(input), User))
		if !strings.HasPrefix(output, "{") && output != "" {
			output = strconv.Quote(output)
		}
		s.Output = Read(gjson.Parse(output), Assistant)
		s.Tokens = Tokens{Known: true, Input: 1, Output: 1}
	})
}

func (c *conversation) agent(id, parent, input string) {
	c.add(Agent, id, parent, func(s *Step) { s.Input = c.book.Keep(Read(gjson.Parse(input), User)) })
}

func (c *conversation) tool(id, parent, call, name, arguments, given string) {
	c.add(ToolUse, id, parent, func(s *Step) {
		s.CallID, s.Name, s.Arguments = call, name, []byte(arguments)
		s.Given = Given(gjson.Parse(strconv.Quote(given)))
	})
}

// Messages, as JSON.
func says(role, text string) string { return `{"role":"` + role + `","content":"` + text + `"}` }

func calls(id, name, arguments string) string {
	return `{"role":"assistant","tool_calls":[{"id":"` + id + `","name":"` + name + `","arguments":` + arguments + `}]}`
}

func gave(id, text string) string {
	return `{"role":"tool","tool_call_id":"` + id + `","content":"` + text + `"}`
}

func listed(messages ...string) string { return "[" + strings.Join(messages, ",") + "]" }

func TestTell(t *testing.T) {
	hi, more := says("user", "hi"), says("user", "more")
	tests := map[string]struct {
		build func(*conversation)
		want  []string
	}{
		"each call repeats the history": {
			func(c *conversation) {
				c.model("a", "", listed(says("system", "be good"), hi), "hello")
				c.model("b", "", listed(says("system", "be good"), hi, says("assistant", "hello"), more), "bye")
			},
			[]string{"injected: be good", "typed: hi", "answer 2: hello", "typed: more", "answer 2: bye"},
		},
		"the same words again, with the history": {
			func(c *conversation) {
				c.model("a", "", listed(hi), "hello")
				c.model("b", "", listed(hi, says("assistant", "hello"), hi), "hello again")
			},
			[]string{"typed: hi", "answer 2: hello", "typed: hi", "answer 2: hello again"},
		},
		"the same words again, in another trace, without the history": {
			func(c *conversation) {
				c.model("a", "", listed(hi), "hello")
				c.trace = "u"
				c.model("b", "", listed(hi), "hello again")
			},
			[]string{"typed: hi", "answer 2: hello", "typed: hi", "answer 2: hello again"},
		},
		"a call that was tried again": {
			func(c *conversation) {
				c.model("a", "", listed(hi), "")
				c.steps[0].Failed, c.steps[0].Error = true, "overloaded"
				c.model("b", "", listed(hi), "hello")
			},
			[]string{"typed: hi", "answer 2:  overloaded", "answer 2: hello"},
		},
		"a wrapper counts once, and lends what the call lacks": {
			func(c *conversation) {
				c.model("out", "", listed(hi), calls("c", "f", `{}`))
				c.model("in", "out", `"user: hi"`, "")
			},
			[]string{"typed: hi", "answer 2: c=f{}"},
		},
		"an agent speaks for calls that were recorded without content": {
			func(c *conversation) {
				c.agent("a", "", listed(hi))
				c.steps[0].Output = Texts("hello", Assistant)
				c.model("m", "a", "null", "")
			},
			[]string{"typed: hi", "answer 2: hello"},
		},
		"an agent whose calls were not recorded": {
			func(c *conversation) {
				c.agent("a", "", listed(hi))
				c.steps[0].Output, c.steps[0].End = Texts("hello", Assistant), 9e9
				c.tool("t", "a", "c", "f", `{}`, "done")
			},
			[]string{"typed: hi", "call c f{}", "result c ok: done", "answer 0: hello"},
		},
		"what an agent adds to what it was told": {
			func(c *conversation) {
				c.agent("a", "", listed(hi))
				c.model("m", "a", listed(says("user", "Question: hi")), "hello")
			},
			[]string{"typed: hi", "injected: Question: hi", "answer 2: hello"},
		},
		"tools, by their identifiers": {
			func(c *conversation) {
				c.model("m", "", listed(hi), calls("c", "f", `{"a":1}`))
				c.tool("t", "", "c", "f", `{"a":1}`, "done")
				c.model("n", "", listed(hi, calls("c", "f", `{"a":1}`), gave("c", "done")), "bye")
			},
			[]string{"typed: hi", `answer 2: c=f{"a":1}`, "call c", "result c ok: done", "answer 2: bye"},
		},
		"a tool without an identifier is the call with its arguments": {
			func(c *conversation) {
				both := `{"role":"assistant","tool_calls":[{"id":"c","name":"f","arguments":{"a":1}},{"id":"d","name":"f","arguments":{"a": 2}}]}`
				c.model("m", "", listed(hi), both)
				c.tool("t", "", "", "f", `{"a":2}`, "two")
				c.tool("u", "", "", "f", `{"other":1}`, "one")
				c.tool("v", "", "", "f", `{"a":3}`, "three")
			},
			[]string{"typed: hi", `answer 2: c=f{"a":1} | d=f{"a":2}`, "call d", "result d ok: two", "call c", "result c ok: one", `call v f{"a":3}`, "result v ok: three"},
		},
		"a call without an identifier": {
			func(c *conversation) {
				c.model("m", "", listed(hi), calls("", "f", `{}`))
				c.tool("t", "", "framework-1", "f", `{}`, "done")
			},
			[]string{"typed: hi", "answer 2: m#1=f{}", "call m#1", "result m#1 ok: done"},
		},
		"results of tools that have no step": {
			func(c *conversation) {
				c.model("m", "", listed(hi), calls("c", "f", `{}`))
				c.model("n", "", listed(hi, calls("c", "f", `{}`), gave("c", "done"), gave("x", "of long ago")), "bye")
				c.model("o", "", listed(hi, calls("c", "f", `{}`), gave("c", "done"), says("assistant", "bye"), more), "ok")
			},
			[]string{"typed: hi", "answer 2: c=f{}", "result c ok: done", "answer 2: bye", "typed: more", "answer 2: ok"},
		},
		"a protocol's step within the framework's": {
			func(c *conversation) {
				c.model("m", "", listed(hi), calls("c", "f", `{}`))
				c.tool("t", "", "c", "f", `{}`, "done")
				c.tool("u", "t", "", "f", `{}`, "done")
			},
			[]string{"typed: hi", "answer 2: c=f{}", "call c", "result c ok: done"},
		},
		"a tool that failed, and one at work": {
			func(c *conversation) {
				c.model("m", "", listed(hi), calls("c", "f", `{}`))
				c.tool("t", "", "c", "f", `{}`, "")
				c.steps[1].Failed, c.steps[1].Error = true, "no disk"
				c.tool("u", "", "d", "g", `{}`, "")
				c.steps[2].End = 0
			},
			[]string{"typed: hi", "answer 2: c=f{}", "call c", "result c error:  no disk", "call d g{}"},
		},
		"a sub-agent below a tool": {
			func(c *conversation) {
				c.agent("a", "", listed(hi))
				c.model("m", "a", listed(hi), calls("c", "ask", `{}`))
				c.tool("t", "a", "c", "ask", `{}`, "found")
				c.agent("b", "t", listed(says("user", "find it")))
				c.model("n", "b", listed(says("system", "find"), says("user", "find it")), calls("d", "f", `{}`))
				c.tool("u", "b", "d", "f", `{}`, "there")
				c.model("o", "b", listed(says("user", "find it"), says("user", "summarise")), "found")
				c.model("p", "a", listed(hi, calls("c", "ask", `{}`), gave("c", "found")), "bye")
			},
			[]string{
				"typed: hi", "answer 2: c=ask{}", "call c", "spawn c: t", "result c ok: found",
				"[t] delegated: find it", "[t] injected: find", "[t] answer 2: d=f{}", "[t] call d", "[t] result d ok: there",
				"[t] injected: summarise", "[t] answer 2: found", "answer 2: bye",
			},
		},
		"a model that a tool asks": {
			func(c *conversation) {
				c.model("m", "", listed(hi), calls("c", "sum", `{}`))
				c.tool("t", "", "c", "sum", `{}`, "short")
				c.model("n", "t", listed(says("user", "make it short")), "short")
			},
			[]string{"typed: hi", "answer 2: c=sum{}", "call c", "spawn c: t", "result c ok: short", "[t] delegated: make it short", "[t] answer 2: short"},
		},
		"an agent that failed where nothing in it did": {
			func(c *conversation) {
				c.agent("a", "", listed(hi))
				c.steps[0].Failed, c.steps[0].Error, c.steps[0].End = true, "out of time", 9e9
				c.model("m", "a", listed(hi), "hello")
			},
			[]string{"typed: hi", "answer 2: hello", "note error: out of time"},
		},
		"an agent that failed because a call did": {
			func(c *conversation) {
				c.agent("a", "", listed(hi))
				c.steps[0].Failed = true
				c.model("m", "a", listed(hi), "")
				c.steps[1].Failed = true
			},
			[]string{"typed: hi", "answer 2:  the call failed"},
		},
		"tools alone": {
			func(c *conversation) {
				c.agent("a", "", "null")
				c.tool("t", "a", "c", "f", `{}`, "done")
			},
			[]string{"call c f{}", "result c ok: done", "partial: the recording holds what tools did, but no call of a model"},
		},
		"a retrieval": {
			func(c *conversation) { c.add(Happening, "search", "", nil) },
			[]string{"note search:"},
		},
		"parents in a circle": {
			func(c *conversation) {
				c.model("a", "b", listed(hi), "hello")
				c.add(Other, "b", "c", nil)
				c.add(Other, "c", "a", nil)
				c.model("d", "d", listed(hi, more), "bye")
			},
			[]string{"typed: hi", "answer 2: hello", "typed: more", "answer 2: bye"},
		},
		"nothing": {func(c *conversation) { c.add(Other, "x", "gone", nil); c.add(Model, "y", "", nil) }, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := conversation{book: Book{}, trace: "t"}
			test.build(&c)
			told := Tell(c.steps)
			if diff := cmp.Diff(test.want, script(told)); diff != "" {
				t.Error(diff)
			}
			keys := map[string]bool{}
			for _, e := range told {
				if keys[e.Key] {
					t.Errorf("two events with the key %q", e.Key)
				}
				keys[e.Key] = true
			}
		})
	}
}

// Steps in any order are the same conversation.
func TestTellInAnyOrder(t *testing.T) {
	build := func() []*Step {
		c := conversation{book: Book{}, trace: "t"}
		c.agent("a", "", listed(says("user", "hi")))
		c.model("m", "a", listed(says("user", "hi")), calls("c", "ask", `{}`))
		c.tool("t", "a", "c", "ask", `{}`, "found")
		c.agent("b", "t", listed(says("user", "find it")))
		c.model("n", "b", listed(says("user", "find it")), "found")
		c.model("o", "a", listed(says("user", "hi"), says("user", "more")), "bye")
		for _, s := range c.steps {
			s.Order = 1e9 // the tree alone tells what comes first, then the key
		}
		return c.steps
	}
	want := Tell(build())
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		steps := build()
		random.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
		if diff := cmp.Diff(want, Tell(steps)); diff != "" {
			t.Fatal(diff)
		}
	}
}

// A chain of any length takes time in proportion to it, and no stack.
func TestTellLongChain(t *testing.T) {
	c := conversation{book: Book{}, trace: "t"}
	const length = 200_000
	for i := range length {
		c.add(Agent, strconv.Itoa(i), strconv.Itoa(i+1), nil)
	}
	c.model("m", "0", listed(says("user", "hi")), "hello")
	if got := script(Tell(c.steps)); len(got) != 2 {
		t.Errorf("%q, want a prompt and an answer", got)
	}
}

func TestBookKeepsMessagesOnce(t *testing.T) {
	book := Book{}
	first := book.Keep(Read(gjson.Parse(listed(says("user", "hi"), says("assistant", "hello"))), User))
	again := book.Keep(Read(gjson.Parse(`[{"role":"user","parts":[{"type":"text","content":"hi "}]}]`), User))
	if first[0] != again[0] {
		t.Error("the same message is kept twice")
	}
	if first[1].Role != Assistant || len(first[1].Parts) != 0 {
		t.Errorf("of what a model said before %+v is kept, want that it did", first[1])
	}
	var image [1]session.Part
	image[0] = session.Part{Type: session.Blob, SHA256: "x"}
	if book.Keep([]Message{{Role: User, Parts: image[:]}})[0] == first[0] {
		t.Error("two messages are one")
	}
}
