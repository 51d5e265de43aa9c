package ollama

import "testing"

// Whatever a server answers, there is a vector for each text or an error.
func FuzzVectors(f *testing.F) {
	for _, seed := range []string{
		`{"model":"m","embeddings":[[0.1,-2e-3],[3,4]]}`, `{"embeddings":[[1],null]}`, `{"embeddings":["AACAPw==",[null]]}`,
		`{"embeddings":{"0":[1]}}`, `{"embeddings":[[[1]],[,]]}`, `{"embeddings":[[1e999,-0],[ ]]}`, `{"error":"x"}`, `[]`, ``, "\xff",
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
