package decode

import "testing"

func TestDecodeBase64(t *testing.T) {
	want := "\xfb\xff\xfea"
	for _, text := range []string{"+//+YQ==", "-__-YQ", " +//+\r\n YQ\n"} {
		if got, ok := DecodeBase64([]byte(text)); !ok || string(got) != want {
			t.Errorf("%q: %q, %t", text, got, ok)
		}
	}
	for _, text := range []string{"+//+YQ=x", "\x0a\x01", "a"} {
		if got, ok := DecodeBase64([]byte(text)); ok {
			t.Errorf("%q: %q, want none", text, got)
		}
	}
}
