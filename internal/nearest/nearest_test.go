package nearest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestNearest(t *testing.T) {
	topics := []string{"/imu/data", "/imu/data_raw", "/gps/fix", "/battery_state", "/camera/front/image", "/camera/rear/image", "/tf"}
	files := []string{"2024/run_17.mcap", "2024/run_18.mcap", "old/warehouse.mcap", "Calibration.mcap"}
	for _, c := range []struct {
		name       string
		candidates []string
		first      string // "" for none
	}{
		{"/imu/dta", topics, "/imu/data"},
		{"imu_data", topics, "/imu/data"},
		{"/battery", topics, "/battery_state"},
		{"/batery_state", topics, "/battery_state"},
		{"/bettary_state", topics, "/battery_state"},
		{"fix", topics, "/gps/fix"},
		{"front image", topics, "/camera/front/image"},
		{"/TF", topics, "/tf"},
		{"/odometry", topics, ""},
		{"", topics, ""},
		{"run17", files, "2024/run_17.mcap"},
		{"warehouse_old", files, "old/warehouse.mcap"},
		{"calibration", files, "Calibration.mcap"},
		{"foo.mcap", files, ""},
		{"run_19.mcap", files, "2024/run_17.mcap"},
		{"zzz", nil, ""},
	} {
		got := Nearest(c.name, c.candidates, 5)
		first := ""
		if len(got) > 0 {
			first = got[0]
		}
		if first != c.first {
			t.Errorf("%q: %v; want %q first", c.name, got, c.first)
		}
	}
}

func TestNearestBoundsAndOrder(t *testing.T) {
	candidates := []string{"run_b", "run_a", "run_a", "run_c"}
	if diff := cmp.Diff([]string{"run_a", "run_b"}, Nearest("run_x", candidates, 2)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Nearest("run", candidates, 0); got != nil {
		t.Errorf("none were asked for, got %v", got)
	}
	var many []string
	for i := range 3000 {
		many = append(many, fmt.Sprintf("%s%d", strings.Repeat("topic/", 600), i))
	}
	start := time.Now()
	Nearest(strings.Repeat("topik/", 600), many, 5)
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("long names took %v", took)
	}
}
