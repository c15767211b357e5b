"""Positions beyond the training length: every scheme, two texts, three seeds.

python benchmarks/extrapolation.py --results results/extrapolation.json [--seeds 0 1 2] [--part I/K]

The file is written after each run; runs that it has are not repeated.
"""

import argparse
from pathlib import Path

import torch

from annotated_transformer.data import multi30k, train_tokenizer, world_corpus
from annotated_transformer.modern.decoder_only import text_stream
from annotated_transformer.modern.extrapolation import (
    BATCH,
    LENGTH,
    STEPS,
    extrapolation,
)
from annotated_transformer.modern.relative_positions import SCHEMES
from annotated_transformer.table3 import add_run, check_same, missing

V = {"world": 600, "multi30k": 2000}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--results", metavar="FILE", default="results/extrapolation.json"
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--part", metavar="I/K", default="1/1")
    args = parser.parse_args()
    Path(args.results).parent.mkdir(parents=True, exist_ok=True)
    rows = [f"{text} {scheme}" for text in V for scheme in SCHEMES]
    streams = {}
    for text, corpus in (("world", world_corpus(30_000)), ("multi30k", multi30k())):
        sides = [[pair[0] for pair in side] for side in (corpus.train, corpus.valid)]
        tokenizer = train_tokenizer(sides[0], V[text])
        streams[text] = [text_stream(tokenizer, lines) for lines in sides]
    settings = {"length": LENGTH, "steps": STEPS, "batch": BATCH, "v": V}
    path = Path(args.results)
    check_same(path, settings)
    for row, seed in missing(path, rows, args.seeds, args.part):
        text, scheme = row.split()
        run = extrapolation(scheme, seed, *streams[text], V[text]) | {"row": row}
        add_run(path, run, settings, rows)
        print(row, seed, run["perplexity"], flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
