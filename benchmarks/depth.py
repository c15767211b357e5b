"""Post-norm and pre-norm stacks of 6, 12 and 18 layers a side, with a warm-up and without, on the embedded world.

python benchmarks/depth.py --results results/depth.json [--seeds 0 1 2] [--part I/K]
python benchmarks/depth.py --yardsticks       counts tokens, trains nothing: results/depth-yardsticks.json

The file is written after each run; runs that it has are not repeated.
"""

from typing import Any

from study import count_tokens, do_missing, parser

from annotated_transformer.data import world_corpus
from annotated_transformer.modern.depth import (
    CASES,
    CONFIG,
    after,
    depth_run,
    frequency_loss,
    place,
    targets_of,
)
from annotated_transformer.table3 import data_of


def main() -> None:
    arguments = parser(__doc__, "depth")
    arguments.add_argument("--yardsticks", action="store_true", help="train nothing")
    args = arguments.parse_args()
    data = data_of(world_corpus(30_000), CONFIG.v)
    if args.yardsticks:
        ways = {"frequencies": after(0), "place": place}
        ways |= {"after one": after(1), "after two": after(2)}
        count_tokens(args, "depth", *targets_of(data), CONFIG.v, ways)
        return

    def run(row: str, seed: int) -> dict[str, Any]:
        return depth_run(row, seed, data)

    settings = {"config": vars(CONFIG), "frequencies": round(frequency_loss(data), 4)}
    do_missing(args, list(CASES), settings, run)


if __name__ == "__main__":
    main()
