"""The ladder from 2017 to today: every rung, three seeds, on the embedded world.

python benchmarks/ladder.py --results results/ladder.json [--rungs NAME …] [--seeds 0 1 2] [--part I/K]

The file is written after each run; runs that it has are not repeated.
"""

from typing import Any

from study import do_missing, parser

from annotated_transformer.data import world_corpus
from annotated_transformer.modern.ladder import CONFIG, RUNGS, rung_run
from annotated_transformer.table3 import data_of


def main() -> None:
    names = list(RUNGS)
    arguments = parser(__doc__, "ladder")
    arguments.add_argument("--rungs", nargs="+", choices=names, default=names)
    args = arguments.parse_args()
    data = data_of(world_corpus(30_000), CONFIG.v)

    def run(row: str, seed: int) -> dict[str, Any]:
        return rung_run(row, seed, data)

    do_missing(args, args.rungs, {"config": vars(CONFIG)}, run, names)


if __name__ == "__main__":
    main()
