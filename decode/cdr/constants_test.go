package cdr

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExplain(t *testing.T) {
	members := []Member{
		{Name: "status", Type: of(Byte), Description: "how it is"}, member("status_code", of(Int32)), member("other", of(Int32)),
		member("levels", seqOf(of(Int16))), member("name", of(String)), member("speed", of(Float64)),
	}
	Explain(members, []Constant{
		{"STATUS_OK", Int8, "0"}, {"STATUS_CODE_MAX", Int64, "9"}, {"LONE", Uint8, "4"}, {"OF_TWO", Int32, "5"},
		{"LEVELS_LOW", Int16, "-3"}, {"NO_LIST", Int16, "3"}, {"NAME_A", String, "a"}, {"NAME_B", Int8, "1"},
		{"SPEED_MAX", Float64, "1.5"}, {"SPEED_LEVEL", Int8, "2"}, {"_", Uint64, "1"}, {"", Float64, "1"},
	})
	var got []string
	for _, m := range members {
		got = append(got, m.Description)
	}
	want := []string{"how it is; STATUS_OK=0, LONE=4", "STATUS_CODE_MAX=9", "", "LEVELS_LOW=-3", "NAME_A=a", "SPEED_MAX=1.5"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
