"""What a learned table of positions looks like after training: cosine similarities between its rows.

python benchmarks/learned_positions.py --results results/learned-positions.json

The demo's model on the embedded world, once with sinusoids and once with a learned table; one run each.
"""

import argparse
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F

from annotated_transformer.config import preset
from annotated_transformer.data import world_corpus
from annotated_transformer.evaluation import check_results, write_results
from annotated_transformer.table3 import data_of, trained
from annotated_transformer.update import validation_nll
from annotated_transformer.variations import ROWS

SHOWN, SEED = 16, 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--results", metavar="FILE", default="results/learned-positions.json"
    )
    args = parser.parse_args()
    check_results(args.results)
    sinusoidal = preset("demo")
    data = data_of(world_corpus(30_000), sinusoidal.v)
    longest = max(len(side) for pair in data.train for side in pair)
    found: dict[str, Any] = {
        "seed": SEED,
        "longest": longest,
        "updates": sinusoidal.train_steps,
    }
    for kind in ("sinusoidal", "learned"):
        config = preset("demo", positions=kind, n_positions=64)
        model, progress = trained(ROWS["base"], config, data, SEED)
        table = model.positions.table.detach()[:SHOWN]
        likeness = F.cosine_similarity(table[:, None], table[None], dim=-1)
        found[kind] = {
            "valid_nll": round(validation_nll(model, data.valid), 4),
            "seconds": round(progress.seconds, 1),
            "likeness": [[round(x, 3) for x in row] for row in likeness.tolist()],
        }
        print(kind, found[kind]["valid_nll"])
    write_results(Path(args.results), found)


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
