"""Post-norm and pre-norm stacks of 6, 12 and 18 layers a side, with a warm-up and without, on the embedded world.

python benchmarks/depth.py --results results/depth.json [--seeds 0 1 2] [--part I/K]

The file is written after each run; runs that it has are not repeated.
"""

from typing import Any

from study import do_missing, parser

from annotated_transformer.data import world_corpus
from annotated_transformer.modern.depth import CASES, CONFIG, depth_run, frequency_loss
from annotated_transformer.table3 import data_of


def main() -> None:
    args = parser(__doc__, "depth").parse_args()
    data = data_of(world_corpus(30_000), CONFIG.v)

    def run(row: str, seed: int) -> dict[str, Any]:
        return depth_run(row, seed, data)

    settings = {"config": vars(CONFIG), "frequencies": round(frequency_loss(data), 4)}
    do_missing(args, list(CASES), settings, run)


if __name__ == "__main__":
    main()
