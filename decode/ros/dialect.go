package ros

import (
	"maps"

	"tapedeck/decode/cdr"
)

// ros1 follows wiki.ros.org/msg: byte is int8, char is uint8.
var ros1 = dialect{
	decoder:          "Ros1Decoder",
	messageEncodings: []string{"ros1", "ros1msg"},
	schemaEncoding:   "ros1msg",
	format:           cdr.ROS1,
	primitives: primitives(map[string]cdr.Kind{
		"byte": cdr.Int8,
	}),
	wellKnown: map[string]string{
		"std_msgs/Header": "uint32 seq\ntime stamp\nstring frame_id",
	},
	alwaysDefined: true,
	restIsText:    true,
}

// ros2 follows docs.ros.org "Interfaces": byte is an octet, char is uint8.
var ros2 = dialect{
	decoder:          "Ros2Decoder",
	messageEncodings: []string{"cdr"},
	schemaEncoding:   "ros2msg",
	format:           cdr.CDR,
	primitives: primitives(map[string]cdr.Kind{
		"byte": cdr.Byte, "wstring": cdr.WString,
	}),
	wellKnown: map[string]string{
		"std_msgs/Header":             "builtin_interfaces/Time stamp\nstring frame_id",
		"builtin_interfaces/Time":     timeDefinition,
		"builtin_interfaces/Duration": timeDefinition,
		"unique_identifier_msgs/UUID": "uint8[16] uuid",
		"service_msgs/ServiceEventInfo": "uint8 REQUEST_SENT=0\nuint8 REQUEST_RECEIVED=1\nuint8 RESPONSE_SENT=2\n" +
			"uint8 RESPONSE_RECEIVED=3\nuint8 event_type\nbuiltin_interfaces/Time stamp\nchar[16] client_gid\nint64 sequence_number",
	},
	pairIsTime: true,
	emptyBytes: 4 + 4, // the CDR header and the dummy member, padded
	dummy:      true,
}

const timeDefinition = "int32 sec\nuint32 nanosec"

func primitives(own map[string]cdr.Kind) map[string]cdr.Kind {
	all := map[string]cdr.Kind{
		"bool": cdr.Bool, "char": cdr.Uint8, "string": cdr.String,
		"int8": cdr.Int8, "int16": cdr.Int16, "int32": cdr.Int32, "int64": cdr.Int64,
		"uint8": cdr.Uint8, "uint16": cdr.Uint16, "uint32": cdr.Uint32, "uint64": cdr.Uint64,
		"float32": cdr.Float32, "float64": cdr.Float64,
		"time": cdr.Time, "duration": cdr.Duration,
	}
	maps.Copy(all, own)
	return all
}
