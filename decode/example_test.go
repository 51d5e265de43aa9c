package decode_test

import (
	"fmt"

	"tapedeck/decode"
	"tapedeck/decode/ros"
)

// A schema becomes a plan, messages become rows in columns.
func Example() {
	plan, err := ros.ROS2().Compile(decode.Schema{
		Name:     "geometry_msgs/msg/Point32",
		Encoding: "ros2msg",
		Data:     []byte("float32 x\nfloat32 y\nfloat32 z"),
	}, decode.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	batch := decode.NewBatch(plan.Columns(), nil)
	for _, message := range [][]byte{
		{0, 1, 0, 0 /* CDR, little-endian */, 0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64},
		{0, 1, 0, 0, 0, 0, 128, 63}, // cut off
	} {
		if err := plan.Decode(message, batch); err != nil {
			batch.DropRow()
			fmt.Println("lost:", err)
		}
	}
	for i, c := range plan.Columns() {
		fmt.Printf("%s %s %x\n", c.Name, c.Type.SQL(), batch.Column(i).Fixed())
	}
	// Output:
	// lost: y: message ends early: 4 bytes are needed at byte 8 and 0 are there
	// x FLOAT 0000803f
	// y FLOAT 00000040
	// z FLOAT 00004040
}
