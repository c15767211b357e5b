"""Beam size and length penalty of one model, scored on Multi30k's validation pairs: what to choose before a test.

python benchmarks/decoding.py runs/NAME/model --results results/recipe/decoding-NAME.json

The file is written after each setting; settings that it has are not repeated. One thread.
"""

import time
from itertools import product
from pathlib import Path
from typing import Any

from sacrebleu.metrics import BLEU
from study import do_missing, parser

from annotated_transformer.checkpoints import Decoding, load, model_folder
from annotated_transformer.data import file_hash, multi30k
from annotated_transformer.metrics import lower_bleu
from annotated_transformer.search import translate

ROWS = {
    f"beam {beam}, alpha {alpha}": Decoding(beam=beam, alpha=alpha)
    for beam, alpha in product((1, 5, 8), (0.6, 1.0, 1.4, 2.0))
    if beam > 1 or alpha == 0.6  # a beam of one has nothing to compare
}


def main() -> None:
    arguments = parser(__doc__, "decoding", seeds=1)
    arguments.add_argument("model", type=Path, help="a folder that `train` wrote")
    args = arguments.parse_args()
    model = load(args.model)
    source, target = model.languages
    sources, references = map(list, zip(*multi30k(source, target).valid, strict=True))

    def run(row: str, seed: int) -> dict[str, Any]:
        began = time.perf_counter()
        found = translate(model, sources, ROWS[row])
        seconds = time.perf_counter() - began
        score = BLEU().corpus_score(found, [references])
        return {
            "beam": ROWS[row].beam,
            "alpha": ROWS[row].alpha,
            "BLEU": round(score.score, 2),
            "BLEU tokenized, lower-cased": round(
                lower_bleu(found, references, target), 2
            ),
            "length ratio": round(score.sys_len / score.ref_len, 4),
            "brevity penalty": round(score.bp, 4),
            "seconds": round(seconds, 2),
        }

    weights = file_hash(model_folder(args.model) / "weights.safetensors")
    settings = {"set": "multi30k valid", "weights": weights}
    do_missing(args, list(ROWS), settings, run)


if __name__ == "__main__":
    main()
