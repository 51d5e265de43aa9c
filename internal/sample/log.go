package sample

import (
	"fmt"
	"time"

	"github.com/foxglove/mcap/go/mcap"
)

var logTopic = topic{
	name:     "/log",
	encoding: "ros1",
	schema:   mcap.Schema{Name: "rosgraph_msgs/Log", Encoding: "ros1msg", Data: []byte(logDefinition)},
	messages: logMessages,
}

const logDefinition = `byte DEBUG=1
byte INFO=2
byte WARN=4
byte ERROR=8
byte FATAL=16
Header header
byte level
string name
string msg
string file
string function
uint32 line
string[] topics
================================================================================
MSG: std_msgs/Header
uint32 seq
time stamp
string frame_id
`

// Levels of a log message, as its definition names them.
const (
	logInfo  = 2
	logWarn  = 4
	logError = 8
)

type logEntry struct {
	at    time.Duration
	level byte
	node  string
	text  string
}

func logMessages(d *Drive) []message {
	var messages []message
	for n, e := range logEntries(d) {
		w := &ros1{}
		w.uint32(uint32(n))
		w.stamp(d.Start.Add(e.at))
		w.string("")
		w.byte(e.level)
		w.string(e.node)
		w.string(e.text)
		w.string(e.node[1:] + ".cpp")
		w.string("spin")
		w.uint32(uint32(100 + len(e.text)))
		w.uint32(1)
		w.string("/pose")
		messages = append(messages, message{published: e.at, delay: time.Millisecond, data: w.data})
	}
	return messages
}

// logEntries tell the story of a drive, in order.
func logEntries(d *Drive) []logEntry {
	entries := []logEntry{
		{200 * time.Millisecond, logInfo, "/planner", "ready"},
		{5 * time.Second, logInfo, "/planner", "autonomous mode"},
	}
	for at := 10 * time.Second; at < Length; at += 10 * time.Second {
		if at == d.sagAt {
			entries = append(entries, logEntry{at, logWarn, "/motor", "left motor draws 38 A"})
		} else {
			entries = append(entries, logEntry{at, logInfo, "/planner", fmt.Sprintf("%d m done", int(speed*d.driven(at).Seconds()))})
		}
		if bump := d.bumpAt; bump > at-10*time.Second && bump < at {
			last := len(entries) - 1
			entry := logEntry{bump + 40*time.Millisecond, logWarn, "/imu_driver", "shock on the vertical axis"}
			entries = append(entries[:last], entry, entries[last])
		}
	}
	if d.sagAt > 0 {
		low := logEntry{LowVoltage.Sub(d.Start), logError, "/battery_monitor", "voltage under 22 V"}
		stop := logEntry{d.sagAt + stopDelay, logError, "/planner", "stopped: battery low"}
		entries = append(entries[:len(entries)-1], low, stop, entries[len(entries)-1])
	}
	return entries
}
