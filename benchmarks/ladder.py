"""The ladder from 2017 to today: every rung, three seeds, on the embedded world.

python benchmarks/ladder.py --results results/ladder.json [--rungs NAME …] [--seeds 0 1 2] [--part I/K]

The file is written after each run; runs that it has are not repeated.
"""

import argparse
from pathlib import Path

import torch

from annotated_transformer.data import world_corpus
from annotated_transformer.modern.ladder import CONFIG, RUNGS, rung_run
from annotated_transformer.table3 import add_run, check_same, data_of, missing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", metavar="FILE", default="results/ladder.json")
    parser.add_argument("--rungs", nargs="+", choices=list(RUNGS), default=list(RUNGS))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--part", metavar="I/K", default="1/1")
    args = parser.parse_args()
    Path(args.results).parent.mkdir(parents=True, exist_ok=True)
    data = data_of(world_corpus(30_000), CONFIG.v)
    settings = {"config": vars(CONFIG)}
    path = Path(args.results)
    check_same(path, settings)
    for row, seed in missing(path, args.rungs, args.seeds, args.part):
        run = rung_run(row, seed, data)
        add_run(path, run, settings, list(RUNGS))
        print(row, seed, run["perplexity"], run["BLEU"], run["seconds"], flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
