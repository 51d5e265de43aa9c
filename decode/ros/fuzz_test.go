package ros

import (
	"testing"

	"tapedeck/decode"
	"tapedeck/decode/cdr/cdrtest"
	"tapedeck/decode/decodetest"
)

// FuzzCompile compiles any text as a definition and decodes any message by it.
func FuzzCompile(f *testing.F) {
	for _, text := range []string{
		"", "Header header\nfloat64[9] cov\ntime t\nduration d\nuint8[] data\nstring[] names\nbyte b\nint32 K=3",
		sectionsOf("Motion m\nstd_msgs/Header h", "MSG: a/Motion\nuint8 type\na/B[] again"), "int64 a\n---\nint64 sum",
		"int32 order\n---\nint32[] result\n---\nint32[] partial", divider + "SRV: a/B\nint64 a\n---\n",
		"string<=22 b \"Hello # world!\" # c\nstring S='x' # y\nwstring[<=3] w",
	} {
		for _, name := range []string{"a/msg/B", "a/srv/B_Event", "a/action/B_FeedbackMessage", "a::msg::dds_::Empty_"} {
			f.Add(name, []byte(text), cdrtest.CDR(cdrLE).U32(1, 2, 0).F64(1).Text("abc").Message())
		}
	}
	f.Fuzz(func(t *testing.T, name string, text, msg []byte) {
		for _, d := range []decode.Decoder{ROS1(), ROS2()} {
			decodetest.CheckSchema(t, d, decode.Schema{Name: name, Data: text}, msg, msg[:len(msg)/2], msg)
		}
	})
}
