package flatbuffer

import (
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"tapedeck/decode"
	"tapedeck/decode/decodetest"
)

// BenchmarkImu decodes an Imu-like message: tables of doubles, three lists.
func BenchmarkImu(b *testing.B) {
	double := func(names ...string) (fields []defField) {
		for _, name := range names {
			fields = append(fields, defField{name: name, typ: defType{base: typeDouble}})
		}
		return fields
	}
	of := func(name string) defType { return defType{base: typeObject, of: name} }
	list := defType{base: typeVector, elem: typeDouble}
	schema := buildSchema(b, defSchema{root: "Imu", objects: []defObject{
		{name: "foxglove.Time", isStruct: true, size: 8, fields: []defField{{name: "sec", typ: defType{base: typeUInt}}, {name: "nsec", typ: defType{base: typeUInt}, offset: 4}}},
		{name: "Quaternion", fields: double("x", "y", "z", "w")},
		{name: "Vector3", fields: double("x", "y", "z")},
		{name: "Imu", fields: []defField{
			{name: "stamp", typ: of("foxglove.Time")}, {name: "frame_id", typ: defType{base: typeString}},
			{name: "orientation", typ: of("Quaternion")}, {name: "orientation_covariance", typ: list},
			{name: "angular_velocity", typ: of("Vector3")}, {name: "angular_velocity_covariance", typ: list},
			{name: "linear_acceleration", typ: of("Vector3")}, {name: "linear_acceleration_covariance", typ: list},
		}},
	}})
	msg := message(func(fb *flatbuffers.Builder) flatbuffers.UOffsetT {
		vector := func(n int) flatbuffers.UOffsetT {
			fb.StartObject(n)
			for i := range n {
				fb.PrependFloat64Slot(i, float64(i)+0.5, 0)
			}
			return fb.EndObject()
		}
		covariance := func() flatbuffers.UOffsetT {
			fb.StartVector(8, 9, 8)
			for i := range 9 {
				fb.PrependFloat64(float64(i))
			}
			return fb.EndVector(9)
		}
		frame := fb.CreateString("imu_link")
		parts := []flatbuffers.UOffsetT{vector(4), covariance(), vector(3), covariance(), vector(3), covariance()}
		fb.StartObject(8)
		fb.PrependStructSlot(0, times(fb, 1_700_000_000, 5), 0)
		fb.PrependUOffsetTSlot(1, frame, 0)
		for i, at := range parts {
			fb.PrependUOffsetTSlot(2+i, at, 0)
		}
		return fb.EndObject()
	})
	plan := mustCompile(b, schema, "Imu", decode.Options{})
	decodetest.Benchmark(b, plan, msg)
}
