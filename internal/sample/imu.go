package sample

import (
	"math"
	"time"

	"github.com/foxglove/mcap/go/mcap"
)

const imuPeriod = 10 * time.Millisecond

var imuTopic = topic{
	name:     "/imu",
	encoding: "cdr",
	schema:   mcap.Schema{Name: "sensor_msgs/msg/Imu", Encoding: "ros2msg", Data: []byte(imuDefinition)},
	messages: imuMessages,
}

const imuDefinition = `std_msgs/Header header
geometry_msgs/Quaternion orientation
float64[9] orientation_covariance
geometry_msgs/Vector3 angular_velocity  # rad/s
float64[9] angular_velocity_covariance
geometry_msgs/Vector3 linear_acceleration  # m/s^2
float64[9] linear_acceleration_covariance
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
================================================================================
MSG: geometry_msgs/Quaternion
float64 x 0
float64 y 0
float64 z 0
float64 w 1
================================================================================
MSG: geometry_msgs/Vector3
float64 x
float64 y
float64 z
`

func imuMessages(d *Drive) []message {
	messages := make([]message, 0, Length/imuPeriod)
	for n := range int(Length / imuPeriod) {
		at := time.Duration(n) * imuPeriod
		messages = append(messages, message{published: at, delay: 300 * time.Microsecond, data: imuMessage(d, at, n)})
	}
	return messages
}

func imuMessage(d *Drive, at time.Duration, n int) []byte {
	yaw, rate := heading(d, at)
	shock := 0.0
	if since := at - d.bumpAt; since >= 0 && since < 80*time.Millisecond {
		shock = 14 * math.Exp(-since.Seconds()/0.03)
	}
	w := newCDR()
	w.stamp(d.Start.Add(at))
	w.string("imu_link")
	for _, v := range []float64{0, 0, round(math.Sin(yaw/2), 6), round(math.Cos(yaw/2), 6)} {
		w.float64(v)
	}
	diagonal(w, 0.0004)
	for axis, v := range []float64{0, 0, rate} {
		w.float64(round(v+0.002*ripple(n, axis), 4))
	}
	diagonal(w, 0.00001)
	for axis, v := range []float64{0.1, speed * rate, 9.81 + shock} {
		w.float64(round(v+0.03*ripple(n, 3+axis), 3))
	}
	diagonal(w, 0.0009)
	return w.data
}

// diagonal writes a covariance of three axes.
func diagonal(w *cdr, variance float64) {
	for i := range 9 {
		if i%4 == 0 {
			w.float64(variance)
		} else {
			w.float64(0)
		}
	}
}
