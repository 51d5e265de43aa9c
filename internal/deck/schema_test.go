package deck

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSchemaEqualsTheLoadedTable(t *testing.T) {
	d := openDeck(t, Options{Folders: []string{drives(t)}})
	schema, err := d.Schema(t.Context(), "drive_01", "")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/battery/status", "/imu", "/log", "/pose"}, slices.Sorted(maps.Keys(schema.Topics))); diff != "" {
		t.Errorf("topics (-want +got):\n%s", diff)
	}
	load(t, d, LoadRequest{File: "drive_01"})
	for topic, s := range schema.Topics {
		var want []string
		for _, f := range s.Fields {
			want = append(want, fmt.Sprintf("[%q,%q]", f.Name, f.Type))
		}
		wantRows(t, d, "SELECT column_name, column_type FROM (DESCRIBE "+s.TableName+")", want...)
		if s.Fields[0].Name != "timestamp_us" || s.Fields[0].Type != "BIGINT" || s.Inferred || len(s.Warnings) > 0 {
			t.Errorf("%s: %+v", topic, s)
		}
	}
	if schema.MetadataTable != "_metadata" {
		t.Errorf("metadata table %q", schema.MetadataTable)
	}
	for _, word := range []string{"timestamp_us", "ASOF JOIN", "epoch_us(header_stamp)", "unnest", "WHERE timestamp_us BETWEEN"} {
		if !strings.Contains(schema.SQLHint, word) {
			t.Errorf("the hint does not tell of %s", word)
		}
	}
}

// Tables are named as docs/columns.md says.
func TestTableNames(t *testing.T) {
	dir := t.TempDir()
	var all []message
	for _, topic := range []string{"/imu", "/battery/status", "/sensors/power", "/order", "/2d/scan"} {
		all = append(all, samples(topic, 1)...)
	}
	record(t, filepath.Join(dir, "a.mcap"), all)
	d := openDeck(t, Options{Folders: []string{dir}})
	schema, err := d.Schema(t.Context(), "a", "")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for topic, s := range schema.Topics {
		got[topic] = s.TableName + s.SQLName
	}
	want := map[string]string{"/imu": "imu", "/battery/status": "battery_status", "/sensors/power": "sensors_power", "/order": `order"order"`, "/2d/scan": "_2d_scan"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	loaded := load(t, d, LoadRequest{File: "a", Alias: "r1"})
	if diff := cmp.Diff([]string{"r1__2d_scan", "r1_battery_status", "r1_imu", "r1_order", "r1_sensors_power"}, slices.Sorted(maps.Keys(loaded.Tables))); diff != "" {
		t.Errorf("with an alias (-want +got):\n%s", diff)
	}
	wantRows(t, d, "SELECT r1_imu.n FROM r1_imu, r1_battery_status b WHERE b.n = r1_imu.n", "[0]")
}

func TestSchemaOfOneTopic(t *testing.T) {
	d := openDeck(t, Options{Folders: []string{drives(t)}})
	schema, err := d.Schema(t.Context(), "drive_01", "/imu")
	if err != nil {
		t.Fatal(err)
	}
	if len(schema.Topics) != 1 || schema.Topics["/imu"].TableName != "imu" {
		t.Errorf("topics %v", schema.Topics)
	}
	for _, topic := range []string{"imu", "/Imu", "/imus"} {
		_, err := d.Schema(t.Context(), "drive_01", topic)
		wantError(t, topic, err, CodeUnknownTopic, topic, "/imu", "get_recording_info")
	}
}

// Columns of JSON without a schema come from its messages: looking at them must
// end when the caller gives up.
func TestSchemaIsCancelled(t *testing.T) {
	dir := t.TempDir()
	record(t, filepath.Join(dir, "a.mcap"), bulky("/a", 20000))
	d := openDeck(t, Options{Folders: []string{dir}})
	if _, err := d.RecordingInfo(t.Context(), "a"); err != nil { // so that only the look at the messages is left
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	_, err := d.Schema(ctx, "a", "")
	wantError(t, "a schema that takes too long", err, CodeCancelled)
	schema, err := d.Schema(t.Context(), "a", "")
	if err != nil || !schema.Topics["/a"].Inferred {
		t.Errorf("%+v, %v", schema, err)
	}
}
