"""Measures a model on collections of documents, queries and judgements.

    python measure.py MODEL TOKENIZER COLLECTION...

MODEL is a model.bin, TOKENIZER the encoder's tokenizer.json, a COLLECTION a folder
with corpus.jsonl, queries.jsonl and qrels.tsv. Prints nDCG@10 of full text (SQLite's
FTS5 with stemming), of the model and of both fused, for several sizes of chunks.
"""

import json
import math
import pathlib
import re
import sqlite3
import sys

import numpy as np

import datafile

CHUNK_BYTES = (300, 500, 800, 1200, 2000)
TOP = 10


def main(model_path, tokenizer, *collections):
    model = datafile.Model(pathlib.Path(model_path), pathlib.Path(tokenizer).read_text())
    print("collection  chunk  full text  model  rrf .3  rrf .5  scores .3  scores .4")
    for folder in map(pathlib.Path, collections):
        documents, queries, relevant = read(folder)
        lexical = full_text(documents, queries)
        asked = np.array([model.vector(q["text"]) for q in queries])
        for size in CHUNK_BYTES:
            semantic = best_chunks(model, documents, asked, size)
            figures = [ndcg(s, documents, queries, relevant) for s in (
                lexical, semantic, ranks_fused(lexical, semantic, .3), ranks_fused(lexical, semantic, .5),
                scores_fused(lexical, semantic, .3), scores_fused(lexical, semantic, .4))]
            print(f"{folder.name:10}  {size:5}  " + "  ".join(f"{f:.3f}" for f in figures), flush=True)


def read(folder):
    documents = [json.loads(line) for line in (folder / "corpus.jsonl").open()]
    for d in documents:
        repeated = d["text"].startswith(d["title"])
        d["whole"] = d["text"] if repeated else (d["title"] + "\n" + d["text"]).strip()
    relevant = {}
    for line in (folder / "qrels.tsv").read_text().splitlines()[1:]:
        query, document, grade = line.split("\t")
        relevant.setdefault(query, {})[document] = float(grade)
    queries = [json.loads(line) for line in (folder / "queries.jsonl").open()]
    return documents, [q for q in queries if q["_id"] in relevant], relevant


def full_text(documents, queries):
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter unicode61')")
    db.executemany("INSERT INTO t(rowid, x) VALUES (?, ?)", [(i, d["whole"]) for i, d in enumerate(documents)])
    scores = np.zeros((len(queries), len(documents)), np.float32)
    for row, query in zip(scores, queries):
        match = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query["text"]))
        for i, score in db.execute("SELECT rowid, -bm25(t) FROM t WHERE t MATCH ?", (match,)):
            row[i] = score
    return scores


def best_chunks(model, documents, asked, size):
    """For each query the cosine of each document's best chunk."""
    pieces = [chunks(d["whole"], size) for d in documents]
    vectors = np.array([model.vector(c) for cs in pieces for c in cs])
    first = np.concatenate([[0], np.cumsum([len(cs) for cs in pieces])[:-1]])
    return np.maximum.reduceat(asked @ vectors.T, first, axis=1)


def chunks(text, size):
    """Cuts a text at spaces in as few parts of about equal size as fit size."""
    parts = -(-len(text) // size)
    if parts <= 1:
        return [text or "?"]
    target, out, current = len(text) / parts, [], ""
    for word in text.split(" "):
        current += word + " "
        if len(current) >= target:
            out.append(current)
            current = ""
    return out + [current] if current.strip() else out


def ranks_fused(lexical, semantic, weight):
    def ranks(scores):
        return np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1, kind="stable")
    return (1 - weight) / (61 + ranks(lexical)) + weight / (61 + ranks(semantic))


def scores_fused(lexical, semantic, weight, keep=100):
    """Both scores scaled to 0..1 between the best and the keep-th best."""
    def scaled(scores):
        best, last = scores.max(1, keepdims=True), np.sort(scores, axis=1)[:, -keep][:, None]
        return np.clip((scores - last) / (best - last + 1e-9), 0, 1)
    return (1 - weight) * lexical / (lexical.max(1, keepdims=True) + 1e-9) + weight * scaled(semantic)


def ndcg(scores, documents, queries, relevant):
    figures = []
    for row, query in zip(scores, queries):
        grades = relevant[query["_id"]]
        order = np.argsort(-row, kind="stable")[:TOP]
        found = sum(grades.get(documents[i]["_id"], 0) / math.log2(r + 2) for r, i in enumerate(order))
        ideal = sum(g / math.log2(r + 2) for r, g in enumerate(sorted(grades.values(), reverse=True)[:TOP]))
        figures.append(max(found, 0) / ideal if ideal > 0 else 0)
    return sum(figures) / len(figures)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
