"""The ladder from 2017 to today: every rung, three seeds, on the embedded world.

python benchmarks/ladder.py --results results/ladder.json [--rungs NAME …] [--seeds 0 1 2] [--part I/K]
python benchmarks/ladder.py --speeds                      times all rungs in turn: results/ladder-speed.json

The file is written after each run; runs that it has are not repeated.
"""

from pathlib import Path
from typing import Any

import torch
from study import do_missing, parser

from annotated_transformer.data import world_corpus
from annotated_transformer.evaluation import check_results, write_results
from annotated_transformer.modern.ladder import CONFIG, RUNGS, rung_run, rung_speeds
from annotated_transformer.table3 import data_of


def main() -> None:
    names = list(RUNGS)
    arguments = parser(__doc__, "ladder")
    arguments.add_argument("--rungs", nargs="+", choices=names, default=names)
    arguments.add_argument("--speeds", action="store_true", help="train nothing")
    args = arguments.parse_args()
    data = data_of(world_corpus(30_000), CONFIG.v)
    if args.speeds:
        torch.set_num_threads(1)
        path = Path(args.results).with_name("ladder-speed.json")
        check_results(path)
        write_results(path, {"rungs": rung_speeds(data)})
        return

    def run(row: str, seed: int) -> dict[str, Any]:
        return rung_run(row, seed, data)

    do_missing(args, args.rungs, {"config": vars(CONFIG)}, run, names)


if __name__ == "__main__":
    main()
