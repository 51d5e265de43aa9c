"""The forward pass of all-MiniLM-L6-v2, a BERT of 6 layers, on one core."""

import numpy as np
from safetensors.numpy import load_file

WIDTH, LAYERS, HEADS = 384, 6, 12
FIRST, LAST = 101, 102  # [CLS] and [SEP]


class Encoder:
    def __init__(self, path):
        self.weights = {k: v.astype(np.float32) for k, v in load_file(path).items() if v.dtype.kind == "f"}

    def hidden(self, ids, mask):
        """The last layer's output for each token of a batch."""
        w = self.weights
        batch, length = ids.shape
        x = w["embeddings.word_embeddings.weight"][ids]
        x = x + w["embeddings.position_embeddings.weight"][:length] + w["embeddings.token_type_embeddings.weight"][0]
        x = self._norm(x, "embeddings.LayerNorm")
        bias = np.where(mask, 0, -1e9).astype(np.float32)[:, None, None, :]
        for i in range(LAYERS):
            layer = f"encoder.layer.{i}."

            def heads(name):
                y = self._linear(x, layer + "attention.self." + name)
                return y.reshape(batch, length, HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3)

            scores = heads("query") @ heads("key").transpose(0, 1, 3, 2) / np.float32(np.sqrt(WIDTH // HEADS)) + bias
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            scores /= scores.sum(-1, keepdims=True)
            mixed = (scores @ heads("value")).transpose(0, 2, 1, 3).reshape(batch, length, WIDTH)
            x = self._norm(x + self._linear(mixed, layer + "attention.output.dense"), layer + "attention.output.LayerNorm")
            wide = _gelu(self._linear(x, layer + "intermediate.dense"))
            x = self._norm(x + self._linear(wide, layer + "output.dense"), layer + "output.LayerNorm")
        return x

    def _norm(self, x, name):
        d = x - x.mean(-1, keepdims=True)
        return d / np.sqrt((d * d).mean(-1, keepdims=True) + 1e-12) * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def _linear(self, x, name):
        flat = x.reshape(-1, x.shape[-1]) @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]
        return flat.reshape(*x.shape[:-1], -1)


def _gelu(x):
    """GELU by its tanh approximation: within .001 of the exact one, and much faster."""
    t = x * x * np.float32(0.044715) + 1
    return np.float32(.5) * x * (1 + np.tanh(t * x * np.float32(0.7978845608)))


def alone(encoder, vocabulary, batch=512):
    """What each token means when it stands alone, as model2vec distils it."""
    out = np.zeros((vocabulary, WIDTH), np.float32)
    for start in range(0, vocabulary, batch):
        ids = np.arange(start, min(start + batch, vocabulary))
        rows = np.stack([np.full(len(ids), FIRST), ids, np.full(len(ids), LAST)], 1)
        out[ids] = encoder.hidden(rows, np.ones(rows.shape, bool)).mean(1)
    return out


def in_context(encoder, texts, vocabulary, batch=32, together=1024):
    """Reads texts (token ids): the vector of each, and by token the sum of its
    vectors in all contexts and how many there were."""
    vectors = np.zeros((len(texts), WIDTH), np.float32)
    sums, counts = np.zeros((vocabulary, WIDTH)), np.zeros(vocabulary)
    for start in range(0, len(texts), together):
        order = sorted(range(start, min(start + together, len(texts))), key=lambda i: len(texts[i]))
        for b in range(0, len(order), batch):
            rows = order[b:b + batch]
            ids = np.zeros((len(rows), max(len(texts[i]) for i in rows)), int)
            mask = np.zeros(ids.shape, bool)
            for row, i in enumerate(rows):
                ids[row, :len(texts[i])] = texts[i]
                mask[row, :len(texts[i])] = True
            x = encoder.hidden(ids, mask)
            vectors[rows] = (x * mask[..., None]).sum(1) / mask.sum(1)[:, None]
            np.add.at(sums, ids[mask], x[mask])
            np.add.at(counts, ids[mask], 1)
        print(f"  {min(start + together, len(texts))} of {len(texts)} texts", flush=True)
    return vectors, sums, counts
