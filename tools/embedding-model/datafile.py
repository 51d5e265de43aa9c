"""Writes the data that package builtin reads, and does what it does with it.

The format is described in internal/embed/builtin/model.go.
"""

import base64
import json
import math
import struct

import numpy as np
from tokenizers import Tokenizer

MAGIC, VERSION = b"TDEM", 1


def write(path, name, vocabulary, vectors):
    """vocabulary: the tokens, in the order of their vectors."""
    vectors = vectors / np.linalg.norm(vectors, axis=1).mean()
    scales = (np.abs(vectors).max(1) / 127).astype("<f4")
    numbers = np.rint(vectors / np.maximum(scales, 1e-12)[:, None]).astype(np.int8)
    unknown = np.sqrt(((numbers * scales[:, None]) ** 2).mean())
    label = name.encode()
    lines = "".join(token + "\n" for token in vocabulary).encode()
    header = MAGIC + struct.pack("<5If", VERSION, vectors.shape[1], len(vocabulary), len(label), len(lines), unknown)
    path.write_bytes(header + label + lines + scales.tobytes() + numbers.tobytes())


class Model:
    """The data as package builtin uses it, bit for bit."""

    def __init__(self, path, tokenizer):
        raw = path.read_bytes()
        _, self.width, tokens, label, lines, unknown = struct.unpack_from("<5If", raw, 4)
        self.unknown = np.float32(unknown)
        at = 28 + label
        self.ids = {t: i for i, t in enumerate(raw[at:at + lines].decode().split("\n")[:-1])}
        at += lines
        self.scales = np.frombuffer(raw, "<f4", tokens, at)
        self.numbers = np.frombuffer(raw, np.int8, tokens * self.width, at + 4 * tokens).reshape(tokens, self.width)
        spec = json.loads(tokenizer)
        spec["added_tokens"], spec["post_processor"] = [], None
        spec["model"]["vocab"] = {"[UNK]": len(self.ids)} | self.ids
        self.tokenizer = Tokenizer.from_str(json.dumps(spec))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def words(self, text):
        normal = self.tokenizer.normalizer.normalize_str(text)
        return [word for word, _ in self.tokenizer.pre_tokenizer.pre_tokenize_str(normal)]

    def tokens(self, word):
        found = [t.value for t in self.tokenizer.model.tokenize(word)]
        return [] if found == ["[UNK]"] else found

    def vector(self, text):
        total = np.zeros(self.width, np.float32)
        for word in self.words(text):
            for token in self.tokens(word):
                i = self.ids[token]
                total += self.scales[i] * self.numbers[i].astype(np.float32)
            if not self.tokens(word):
                total += self._unknown(word)
        squares = 0.0
        for x in total.tolist():
            squares += x * x
        return (total.astype(np.float64) / math.sqrt(squares)).astype(np.float32)

    def _unknown(self, word):
        state, signs, wrap = 0xcbf29ce484222325, [], (1 << 64) - 1
        for byte in word.encode():
            state = ((state ^ byte) * 0x100000001b3) & wrap
        for _ in range(0, self.width, 64):
            state = (state + 0x9e3779b97f4a7c15) & wrap
            z = ((state ^ state >> 30) * 0xbf58476d1ce4e5b9) & wrap
            z = ((z ^ z >> 27) * 0x94d049bb133111eb) & wrap
            z ^= z >> 31
            signs += [-1 if z >> i & 1 else 1 for i in range(64)]
        return np.array(signs[:self.width], np.float32) * self.unknown


GOLDEN_TEXTS = [
    "How did we fix the flaky upload test last month?",
    "the gripper lost the cup because the pressure sensor saturated",
    "panic: runtime error: index out of range [5] with length 5 at foo_bar.go:120",
    "Crème brûlée, naïve façade: ÀÉÎÕÜ; Straße",
    "İstanbul ΑΘΗΝΑ Σίσυφος Москва",
    "日本語のテキスト and 中文字符",
    "한국어 문장",
    "emoji 🤖🦾 between words",
    "snake_case camelCase kebab-case SCREAMING_CASE",
    "https://example.com/a/b?c=d&e=f#g",
    "tabs\tand\r\nline\u2028feeds\u00a0and\u3000spaces",
    "zero\u200bwidth and soft\u00adhyphen and \ufeffmark",
    "nul\x00 bell\x07 escape\x1b[31mred",
    "$5 + 3% = ~5.15 `code` ^_^ |pipe| <tag>",
    "quotes “double” ‘single’ — dash … dots · middle",
    "unaffable electroencephalographically antidisestablishmentarianism",
    "a" * 100 + " " + "a" * 101,
    "é" * 60 + " e\u0301" + "\u0301" * 40,
    "[CLS] [MASK] ##ing ## #",
    "ﬁnancial ½ ² Ⅳ ℃ ＡＢＣ",
]


def write_golden(path, model):
    cases = [{
        "text": text,
        "tokens": [t for word in model.words(text) for t in model.tokens(word) or ["?" + word]],
        "vector": base64.b64encode(model.vector(text).astype("<f4").tobytes()).decode(),
    } for text in GOLDEN_TEXTS]
    path.write_text("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")
