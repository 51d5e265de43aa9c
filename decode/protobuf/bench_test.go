package protobuf

import (
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"tapedeck/decode"
	"tapedeck/decode/decodetest"
)

const imu = `
syntax = "proto3";
package p;
message Header { int64 stamp = 1; string frame_id = 2; }
message Quaternion { double x = 1; double y = 2; double z = 3; double w = 4; }
message Vector3 { double x = 1; double y = 2; double z = 3; }
message Imu {
  Header header = 1;
  Quaternion orientation = 2; repeated double orientation_covariance = 3;
  Vector3 angular_velocity = 4; repeated double angular_velocity_covariance = 5;
  Vector3 linear_acceleration = 6; repeated double linear_acceleration_covariance = 7;
}`

const imuText = `{
  "header": {"stamp": "1700000000000000000", "frameId": "imu_link"},
  "orientation": {"x": 0.1, "y": 0.2, "z": 0.3, "w": 0.9},
  "orientationCovariance": [1, 2, 3, 4, 5, 6, 7, 8, 9],
  "angularVelocity": {"x": 0.1, "y": 0.2, "z": 0.3},
  "angularVelocityCovariance": [1, 2, 3, 4, 5, 6, 7, 8, 9],
  "linearAcceleration": {"x": 0.1, "y": 0.2, "z": 9.8},
  "linearAccelerationCovariance": [1, 2, 3, 4, 5, 6, 7, 8, 9]
}`

func BenchmarkImu(b *testing.B) {
	set := compileOne(b, imu)
	m := dynamicpb.NewMessage(descriptorOf(b, set, "p.Imu"))
	if err := protojson.Unmarshal([]byte(imuText), m); err != nil {
		b.Fatal(err)
	}
	msg, err := proto.Marshal(m)
	if err != nil {
		b.Fatal(err)
	}
	plan := mustCompile(b, schemaOf(b, set, "p.Imu"), decode.Options{})
	decodetest.Benchmark(b, plan, msg)
}
