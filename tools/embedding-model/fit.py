"""Finds the static vectors whose sums come nearest to the encoder's vectors."""

import numpy as np
import scipy.sparse as sparse

ALONE_COUNTS = 1     # as how many contexts the vector of a token alone counts
RIDGE = 1.0          # how strongly the fit is held at its beginning
ITERATIONS = 25


def fit(texts, vectors, sums, counts, alone, first_word):
    """One vector a token. texts are token ids; tokens before first_word are no words."""
    vocabulary = len(alone)
    occurrences = _matrix(texts, vocabulary)
    targets = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    targets -= targets.mean(0)

    # The beginning: what a token means on average in its contexts, weighted by how few
    # texts have it.
    centred = sums - counts[:, None] * (sums.sum(0) / counts.sum())
    mean = (centred + ALONE_COUNTS * (alone - alone[first_word:].mean(0))) / (counts[:, None] + ALONE_COUNTS)
    texts_with = np.asarray((occurrences > 0).sum(0)).ravel()
    rarity = np.log((len(texts) + 1) / (texts_with + 1))
    return _ridge(occurrences, targets, (mean * rarity[:, None]).astype(np.float32))


def reduce(tokens, texts, width):
    """Turns vectors so that the texts spread most in the first numbers, and keeps those."""
    sums = _matrix(texts, len(tokens)) @ tokens
    sums /= np.linalg.norm(sums, axis=1, keepdims=True) + 1e-9
    directions = np.linalg.svd(sums.T @ sums)[2][:width]
    # An SVD leaves the sign open: the largest number of each direction is positive.
    signs = np.sign(directions[np.arange(width), np.abs(directions).argmax(1)])
    return tokens @ (directions * signs[:, None]).T


def _matrix(texts, vocabulary):
    """How often each text has each token."""
    ids = np.concatenate([np.asarray(t, int) for t in texts])
    ends = np.concatenate([[0], np.cumsum([len(t) for t in texts])])
    matrix = sparse.csr_matrix((np.ones(len(ids), np.float32), ids, ends), shape=(len(texts), vocabulary))
    matrix.sum_duplicates()
    return matrix


def _ridge(occurrences, targets, begin):
    """Least squares by conjugate gradients, held at begin."""
    lengths = np.sqrt(np.maximum(np.asarray(occurrences.multiply(occurrences).sum(1)).ravel(), 1))
    rows = (sparse.diags(1 / lengths) @ occurrences).astype(np.float32)
    guess = rows @ begin
    begin = begin * ((guess * targets).sum() / (guess * guess).sum())
    residual = rows.T @ (targets - rows @ begin)
    step, change, size = residual.copy(), np.zeros_like(begin), (residual ** 2).sum(0)
    for _ in range(ITERATIONS):
        image = rows.T @ (rows @ step) + RIDGE * step
        rate = size / ((step * image).sum(0) + 1e-12)
        change += rate * step
        residual -= rate * image
        before, size = size, (residual ** 2).sum(0)
        step = residual + size / (before + 1e-12) * step
    return (begin + change).astype(np.float32)
