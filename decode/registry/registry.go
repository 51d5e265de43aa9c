// Package registry lists the decoders that come with tapedeck. It holds the
// list and nothing else.
package registry

import (
	"tapedeck/decode"
	"tapedeck/decode/flatbuffer"
	"tapedeck/decode/idl"
	"tapedeck/decode/jsonmsg"
	"tapedeck/decode/protobuf"
	"tapedeck/decode/ros"
)

// Decoders are all decoders, in the order that get_version names them. A new
// one is one line here.
func Decoders() []decode.Decoder {
	return []decode.Decoder{
		jsonmsg.New(),
		protobuf.New(),
		ros.ROS1(),
		ros.ROS2(),
		flatbuffer.New(),
		idl.ROS2(),
		idl.OMG(),
	}
}
