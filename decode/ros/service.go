package ros

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// generated are the messages that ROS makes of a service's or an action's
// definition, by the end of their name; BASE is the name without it. The text
// of a part is named by its end alone.
type generated struct {
	parts    []string // ends of the messages that the parts are
	messages map[string]string
}

const eventText = "service_msgs/ServiceEventInfo info\nBASE_Request[<=1] request\nBASE_Response[<=1] response"

// ofService has what rosidl makes of a .srv file.
var ofService = generated{
	parts:    []string{"_Request", "_Response"},
	messages: map[string]string{"_Event": eventText},
}

// ofAction has what rosidl makes of an .action file.
var ofAction = generated{
	parts: []string{"_Goal", "_Result", "_Feedback"},
	messages: map[string]string{
		"_FeedbackMessage":    "unique_identifier_msgs/UUID goal_id\nBASE_Feedback feedback",
		"_SendGoal_Request":   "unique_identifier_msgs/UUID goal_id\nBASE_Goal goal",
		"_SendGoal_Response":  "bool accepted\nbuiltin_interfaces/Time stamp",
		"_SendGoal_Event":     strings.ReplaceAll(eventText, "BASE", "BASE_SendGoal"),
		"_GetResult_Request":  "unique_identifier_msgs/UUID goal_id",
		"_GetResult_Response": goalStates + "int8 status\nBASE_Result result",
		"_GetResult_Event":    strings.ReplaceAll(eventText, "BASE", "BASE_GetResult"),
	},
}

// goalStates are the values of an action's status (action_msgs/GoalStatus).
const goalStates = "int8 STATUS_UNKNOWN=0\nint8 STATUS_ACCEPTED=1\nint8 STATUS_EXECUTING=2\nint8 STATUS_CANCELING=3\n" +
	"int8 STATUS_SUCCEEDED=4\nint8 STATUS_CANCELED=5\nint8 STATUS_ABORTED=6\n"

// rootFirst returns the sections with the one that defines the type called
// name in front. rosbag2 stores the text of the .srv or .action file for the
// messages that ROS makes of it.
func (d *dialect) rootFirst(name string, sections []section) ([]section, error) {
	clean := cleanName(name)
	text := sections[0]
	rest := sections[1:]
	if text.isBlank() && len(rest) > 0 {
		i := slices.IndexFunc(rest, func(s section) bool { return s.name == clean || isMadeOf(clean, s.name) })
		if i < 0 {
			return nil, fmt.Errorf("the recording holds definitions, but none of %s", name)
		}
		text = rest[i]
		rest = slices.Concat(rest[:i], rest[i+1:])
	}
	switch parts := text.parts(); len(parts) {
	case 1:
		text.name = clean
		return append([]section{text}, rest...), d.checkMade(name, text)
	case 2:
		return ofService.sections(clean, parts, rest)
	case 3:
		return ofAction.sections(clean, parts, rest)
	default:
		return nil, fmt.Errorf("it has %d parts; a service's definition has 2 and an action's 3", len(parts))
	}
}

// isMadeOf reports whether ROS makes a message called name of the service or
// action called base.
func isMadeOf(name, base string) bool {
	end, ok := strings.CutPrefix(name, base)
	return ok && (ofService.makes(end) || ofAction.makes(end))
}

func (g *generated) makes(end string) bool {
	return g.messages[end] != "" || slices.Contains(g.parts, end)
}

// sections returns the message called name, then what it is made of.
func (g *generated) sections(name string, parts [][]line, rest []section) ([]section, error) {
	base, ok := g.base(name)
	if !ok {
		return nil, fmt.Errorf("it is a definition in %d parts, and %s is none of the messages that are made of one", len(parts), name)
	}
	made := make([]section, 0, len(parts)+len(g.messages)+len(rest))
	for i, end := range g.parts {
		made = append(made, section{base + end, parts[i]})
	}
	for _, end := range slices.Sorted(maps.Keys(g.messages)) {
		made = append(made, section{base + end, linesOf(strings.ReplaceAll(g.messages[end], "BASE", base))})
	}
	root := slices.IndexFunc(made, func(s section) bool { return s.name == name })
	made[0], made[root] = made[root], made[0]
	return append(made, rest...), nil
}

// base returns name without the longest end that ROS gives to a message.
func (g *generated) base(name string) (string, bool) {
	base, found := "", false
	for _, end := range append(slices.Collect(maps.Keys(g.messages)), g.parts...) {
		if b, ok := strings.CutSuffix(name, end); ok && (!found || len(b) < len(base)) {
			base, found = b, true
		}
	}
	return base, found
}

// checkMade makes sure that text which is not cut in parts is really that of
// the message that ROS makes of a service or an action.
func (d *dialect) checkMade(name string, text section) error {
	clean, path := cleanName(name), strings.ReplaceAll(name, "::", "/")
	var g *generated
	switch {
	case strings.Contains(path, "/srv/"):
		g = &ofService
	case strings.Contains(path, "/action/"):
		g = &ofAction
	default:
		return nil
	}
	base, _ := g.base(clean)
	want := g.messages[strings.TrimPrefix(clean, base)]
	is, err := d.define(text)
	if want == "" || err != nil {
		return err
	}
	made, err := d.define(section{lines: linesOf(want)})
	for _, f := range made.fields {
		if !slices.ContainsFunc(is.fields, func(g field) bool { return g.name == f.name }) {
			return fmt.Errorf("the text is not the definition of %s, which has a field %s", name, f.name)
		}
	}
	return err
}

func linesOf(text string) []line {
	var lines []line
	for i, l := range strings.Split(text, "\n") {
		lines = append(lines, line{i + 1, l})
	}
	return lines
}
