package sample

import (
	"fmt"
	"math"
	"time"

	"github.com/foxglove/mcap/go/mcap"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

const (
	posePeriod = 50 * time.Millisecond
	speed      = 1.2 // m/s along the path
	radius     = 8.0 // m, of each half of the path
)

var poseTopic = topic{
	name:     "/pose",
	encoding: "protobuf",
	schema:   mcap.Schema{Name: "rover.PoseInFrame", Encoding: "protobuf", Data: poseDescriptor()},
	messages: poseMessages,
}

// Field numbers of the messages that poseDescriptor declares.
const (
	poseTimestamp, poseFrameID, posePosition, poseOrientation, poseMode = 1, 2, 3, 4, 5
	vectorX, vectorY, vectorZ, quaternionW                              = 1, 2, 3, 4
	timestampSeconds, timestampNanos                                    = 1, 2
)

var poseModes = []string{"MODE_MANUAL", "MODE_AUTONOMOUS", "MODE_STOPPED"}

// poseDescriptor is the FileDescriptorSet of rover.proto and what it imports.
func poseDescriptor() []byte {
	double := descriptorpb.FieldDescriptorProto_TYPE_DOUBLE
	nested := descriptorpb.FieldDescriptorProto_TYPE_MESSAGE
	modes := &descriptorpb.EnumDescriptorProto{Name: proto.String("Mode")}
	for number, name := range poseModes {
		modes.Value = append(modes.Value, &descriptorpb.EnumValueDescriptorProto{
			Name: proto.String(name), Number: proto.Int32(int32(number)),
		})
	}
	file := &descriptorpb.FileDescriptorProto{
		Name:       proto.String("rover.proto"),
		Package:    proto.String("rover"),
		Syntax:     proto.String("proto3"),
		Dependency: []string{"google/protobuf/timestamp.proto"},
		EnumType:   []*descriptorpb.EnumDescriptorProto{modes},
		MessageType: []*descriptorpb.DescriptorProto{
			{Name: proto.String("Vector3"), Field: []*descriptorpb.FieldDescriptorProto{
				field("x", vectorX, double, ""), field("y", vectorY, double, ""), field("z", vectorZ, double, ""),
			}},
			{Name: proto.String("Quaternion"), Field: []*descriptorpb.FieldDescriptorProto{
				field("x", vectorX, double, ""), field("y", vectorY, double, ""),
				field("z", vectorZ, double, ""), field("w", quaternionW, double, ""),
			}},
			{Name: proto.String("PoseInFrame"), Field: []*descriptorpb.FieldDescriptorProto{
				field("timestamp", poseTimestamp, nested, ".google.protobuf.Timestamp"),
				field("frame_id", poseFrameID, descriptorpb.FieldDescriptorProto_TYPE_STRING, ""),
				field("position", posePosition, nested, ".rover.Vector3"),
				field("orientation", poseOrientation, nested, ".rover.Quaternion"),
				field("mode", poseMode, descriptorpb.FieldDescriptorProto_TYPE_ENUM, ".rover.Mode"),
			}},
		},
	}
	set := &descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{
		protodesc.ToFileDescriptorProto(timestamppb.File_google_protobuf_timestamp_proto), file,
	}}
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(set)
	if err != nil {
		panic(fmt.Sprintf("sample: the pose's descriptor can't be written: %v", err))
	}
	return data
}

func field(name string, number int32, kind descriptorpb.FieldDescriptorProto_Type, typeName string) *descriptorpb.FieldDescriptorProto {
	f := &descriptorpb.FieldDescriptorProto{
		Name: proto.String(name), Number: proto.Int32(number), Type: kind.Enum(),
		Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
	}
	if typeName != "" {
		f.TypeName = proto.String(typeName)
	}
	return f
}

func poseMessages(d *Drive) []message {
	messages := make([]message, 0, Length/posePeriod)
	for n := range int(Length / posePeriod) {
		at := time.Duration(n) * posePeriod
		messages = append(messages, message{published: at, delay: 5 * time.Millisecond, data: poseMessage(d, at)})
	}
	return messages
}

func poseMessage(d *Drive, at time.Duration) []byte {
	x, y := position(d, at)
	yaw, _ := heading(d, at)
	when := d.Start.Add(at)
	stamp := appendVarint(nil, timestampSeconds, uint64(when.Unix()))
	stamp = appendVarint(stamp, timestampNanos, uint64(when.Nanosecond()))

	var m []byte
	m = appendMessage(m, poseTimestamp, stamp)
	m = appendMessage(m, poseFrameID, []byte("map"))
	m = appendMessage(m, posePosition, doubles(x, y))
	m = appendMessage(m, poseOrientation, doubles(0, 0, math.Sin(yaw/2), math.Cos(yaw/2)))
	return appendVarint(m, poseMode, uint64(mode(d, at)))
}

// mode is the index in poseModes: by hand for five seconds, then autonomous.
func mode(d *Drive, at time.Duration) int {
	switch {
	case d.driven(at) < at:
		return 2
	case at < 5*time.Second:
		return 0
	}
	return 1
}

// doubles are fields 1, 2, 3 … of a message; proto3 leaves zeros out.
func doubles(values ...float64) []byte {
	var m []byte
	for i, v := range values {
		if v = round(v, 4); v != 0 {
			m = protowire.AppendTag(m, protowire.Number(i+1), protowire.Fixed64Type)
			m = protowire.AppendFixed64(m, math.Float64bits(v))
		}
	}
	return m
}

func appendMessage(m []byte, number protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(m, number, protowire.BytesType), content)
}

func appendVarint(m []byte, number protowire.Number, v uint64) []byte {
	if v == 0 {
		return m
	}
	return protowire.AppendVarint(protowire.AppendTag(m, number, protowire.VarintType), v)
}

// The path is a figure of eight: a circle to the left, then one to the right.

// position is where the rover is, in metres.
func position(d *Drive, at time.Duration) (x, y float64) {
	angle, side := turn(d, at)
	return radius * math.Sin(angle), side * radius * (1 - math.Cos(angle))
}

// heading is where the rover looks, in radians, and how fast that changes.
func heading(d *Drive, at time.Duration) (yaw, rate float64) {
	angle, side := turn(d, at)
	if d.driven(at) < at {
		return side * angle, 0
	}
	return side * angle, side * speed / radius
}

// turn is how far round the circle the rover is, and whether the circle lies to
// the left (1) or to the right (-1).
func turn(d *Drive, at time.Duration) (angle, side float64) {
	circle := 2 * math.Pi
	angle = speed / radius * d.driven(at).Seconds()
	laps := math.Floor(angle / circle)
	return angle - laps*circle, 1 - 2*math.Mod(laps, 2)
}
