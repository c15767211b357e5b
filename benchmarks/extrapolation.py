"""Positions beyond the training length: every scheme, two texts, three seeds.

python benchmarks/extrapolation.py --results results/extrapolation.json [--seeds 0 1 2] [--part I/K]

The file is written after each run; runs that it has are not repeated.
"""

from typing import Any

from study import do_missing, parser

from annotated_transformer.data import multi30k, train_tokenizer, world_corpus
from annotated_transformer.modern.decoder_only import text_stream
from annotated_transformer.modern.extrapolation import (
    BATCH,
    LENGTH,
    STEPS,
    extrapolation,
)
from annotated_transformer.modern.relative_positions import SCHEMES

V = {"world": 600, "multi30k": 2000}


def main() -> None:
    args = parser(__doc__, "extrapolation").parse_args()
    rows = [f"{text} {scheme}" for text in V for scheme in SCHEMES]
    streams = {}
    for text, corpus in (("world", world_corpus(30_000)), ("multi30k", multi30k())):
        sides = [[pair[0] for pair in side] for side in (corpus.train, corpus.valid)]
        tokenizer = train_tokenizer(sides[0], V[text])
        streams[text] = [text_stream(tokenizer, lines) for lines in sides]
    settings = {"length": LENGTH, "steps": STEPS, "batch": BATCH, "v": V}

    def run(row: str, seed: int) -> dict[str, Any]:
        text, scheme = row.split()
        return extrapolation(scheme, seed, *streams[text], V[text])

    do_missing(args, rows, settings, run)


if __name__ == "__main__":
    main()
