"""Five sizes of language models, three budgets of operations, one text.

python benchmarks/scaling_study.py --results results/scaling-study.json [--seeds 0] [--part I/K]
python benchmarks/scaling_study.py --yardsticks     counts tokens, trains nothing: results/scaling-yardsticks.json

The file is written after each run; runs that it has are not repeated.
"""

import random
from typing import Any

from study import count_tokens, do_missing, parser

from annotated_transformer.data import multi30k, train_tokenizer
from annotated_transformer.modern.decoder_only import text_stream
from annotated_transformer.modern.depth import after
from annotated_transformer.modern.scale import (
    BATCH,
    BUDGETS,
    HELD_OUT,
    LENGTH,
    SIZES,
    V,
    scaled_run,
)


def main() -> None:
    arguments = parser(__doc__, "scaling-study", seeds=1)
    arguments.add_argument("--yardsticks", action="store_true", help="train nothing")
    args = arguments.parse_args()
    german, french = (multi30k("en", target) for target in ("de", "fr"))
    sides = [
        [line for pair in de for line in pair] + [pair[1] for pair in fr]
        for de, fr in ((german.train, french.train), (german.valid, french.valid))
    ]
    tokenizer = train_tokenizer(sides[0], V)
    for lines in sides:  # the three languages in any part, and alike in both
        random.Random(0).shuffle(lines)
    train, held_out = (text_stream(tokenizer, lines) for lines in sides)
    if args.yardsticks:
        held = held_out[: HELD_OUT * LENGTH + 1]  # what the runs are scored on
        ways = {"frequencies": after(0), "after one": after(1), "after two": after(2)}
        count_tokens(args, "scaling", [train.tolist()], [held.tolist()], V, ways)
        return
    shapes = {f"width {w}, {b:.3g} operations": (w, b) for b in BUDGETS for w in SIZES}
    settings = {"length": LENGTH, "batch": BATCH, "v": V, "text_tokens": len(train)}

    def run(row: str, seed: int) -> dict[str, Any]:
        return scaled_run(*shapes[row], seed, train, held_out)

    do_missing(args, list(shapes), settings, run)


if __name__ == "__main__":
    main()
