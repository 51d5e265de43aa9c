package openai

import "testing"

// Whatever a server answers, there is a vector for each text or an error.
func FuzzVectors(f *testing.F) {
	for _, seed := range []string{
		`{"object":"list","data":[{"object":"embedding","index":1,"embedding":[1,2]},{"index":0,"embedding":"AACAPw=="}]}`,
		`{"data":[{"embedding":[1]},{"index":null,"embedding":null}]}`, `{"data":[{"index":-1},{"index":9e9}]}`, `{"data":[{"index":0},{"index":0}]}`,
		`{"data":[null,[]]}`, `{"data":{}}`, `{"error":{"message":"x"}}`, `[]`, ``, "\xff",
	} {
		f.Add([]byte(seed), 2)
	}
	f.Fuzz(func(t *testing.T, answer []byte, texts int) {
		vectors, err := vectors(answer, texts)
		if err == nil && len(vectors) != texts {
			t.Errorf("%d texts get %d vectors", texts, len(vectors))
		}
		for _, v := range vectors {
			if len(v) > len(answer) {
				t.Errorf("an answer of %d bytes has a vector of %d numbers", len(answer), len(v))
			}
		}
	})
}
