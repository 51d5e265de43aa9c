package cli

import "testing"

func TestNumbersAndSizes(t *testing.T) {
	tests := map[string]string{
		group(0): "0", group(999): "999", group(1000): "1,000", group(-1234567): "-1,234,567",
		group(uint64(1<<64 - 1)): "18,446,744,073,709,551,615",
		seconds(0.04):            "0.0", seconds(12345.67): "12,345.7",
		size(0): "0 B", size(1023): "1,023 B", size(1024): "1 KB", size(1.5 * (1 << 20)): "1.5 MB", size(5000 << 30): "5,000.0 GB",
		clock("2025-06-03T09:00:00.000+00:00"): "2025-06-03 09:00:00",
		clock("2025-06-03T09:00:00.250+00:00"): "2025-06-03 09:00:00.250",
		clock(""):                              "",
		count(1, "row", "rows"):                "1 row", count(2000, "row", "rows"): "2,000 rows",
	}
	for got, want := range tests {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
