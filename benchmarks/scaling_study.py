"""Five sizes of language models, three budgets of operations, one text.

python benchmarks/scaling_study.py --results results/scaling-study.json [--seeds 0] [--part I/K]

The file is written after each run; runs that it has are not repeated.
"""

import argparse
import random
from pathlib import Path

import torch

from annotated_transformer.data import multi30k, train_tokenizer
from annotated_transformer.modern.decoder_only import text_stream
from annotated_transformer.modern.scale import (
    BATCH,
    BUDGETS,
    LENGTH,
    SIZES,
    V,
    scaled_run,
)
from annotated_transformer.table3 import add_run, check_same, missing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--results", metavar="FILE", default="results/scaling-study.json"
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--part", metavar="I/K", default="1/1")
    args = parser.parse_args()
    Path(args.results).parent.mkdir(parents=True, exist_ok=True)
    german, french = (multi30k("en", target) for target in ("de", "fr"))
    sides = [
        [line for pair in de for line in pair] + [pair[1] for pair in fr]
        for de, fr in ((german.train, french.train), (german.valid, french.valid))
    ]
    tokenizer = train_tokenizer(sides[0], V)
    for lines in sides:  # the three languages in any part, and alike in both
        random.Random(0).shuffle(lines)
    train, held_out = (text_stream(tokenizer, lines) for lines in sides)
    shapes = {f"width {w}, {b:.3g} operations": (w, b) for b in BUDGETS for w in SIZES}
    settings = {"length": LENGTH, "batch": BATCH, "v": V, "text_tokens": len(train)}
    path = Path(args.results)
    check_same(path, settings)
    for row, seed in missing(path, list(shapes), args.seeds, args.part):
        run = scaled_run(*shapes[row], seed, train, held_out)
        add_run(path, run, settings, list(shapes))
        print(row, seed, run["loss"], run["seconds"], flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
