"""Post-norm with and without warm-up, and pre-norm without: loss curves of three seeds each.

python benchmarks/warmup_study.py --results results/warmup-study.json

3+3 layers of width 64 on the embedded world, 400 updates. (With 6+6 layers, 400 updates with this warm-up were
not enough for any learning: one run, validation 5.7 nats.) "Without" means the rate of the schedule's peak from
the first update on. The results file is written after each run, and runs that it has are not repeated.
"""

import argparse
import itertools
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from annotated_transformer.config import preset
from annotated_transformer.data import world_corpus
from annotated_transformer.evaluation import write_results
from annotated_transformer.hardware import Hardware
from annotated_transformer.optimizer import paper_adam
from annotated_transformer.runs import Progress
from annotated_transformer.table3 import data_of
from annotated_transformer.training import updates_from
from annotated_transformer.transformer import Transformer
from annotated_transformer.update import train_step, validation_nll
from annotated_transformer.variations import pre_norm

CONFIG = preset(
    "demo",
    N=3,
    d_model=64,
    d_ff=256,
    v=1000,
    warmup_steps=200,
    batch_tokens=1000,
    P_drop=0.0,
)
UPDATES, SEEDS = 400, (0, 1, 2)
VARIANTS = {  # pre-norm, warm-up
    "post-norm, warm-up": (False, True),
    "post-norm, no warm-up": (False, False),
    "pre-norm, no warm-up": (True, False),
}


@cache
def data() -> tuple[list[Any], list[Any]]:
    """Training and validation pairs as ids."""
    found = data_of(world_corpus(20_000), CONFIG.v)
    return found.train, found.valid


def run(variant: str, seed: int) -> dict[str, Any]:
    """One training: the loss of every tenth update, and the validation likelihood at the end."""
    before, warm = VARIANTS[variant]
    encoded, valid = data()
    torch.manual_seed(seed)
    model = (pre_norm(CONFIG) if before else Transformer(CONFIG)).train()
    adam, losses = paper_adam(model), []
    stream = updates_from(Progress(), encoded, CONFIG, seed, Hardware())
    for update in range(1, UPDATES + 1):
        step = update if warm else max(update, CONFIG.warmup_steps)
        try:
            losses.append(train_step(model, adam, next(stream).batches, step))
        except FloatingPointError:
            losses.append(float("inf"))
            break
    tens = (losses[i : i + 10] for i in range(0, len(losses), 10))
    means = [round(float(np.mean(ten)), 3) for ten in tens]
    return {"losses": means, "valid_nll": round(validation_nll(model, valid), 3)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--results", metavar="FILE", default="results/warmup-study.json"
    )
    args = parser.parse_args()
    path = Path(args.results)
    found = json.loads(path.read_text()) if path.exists() else {"runs": {}}
    for seed, variant in itertools.product(SEEDS, VARIANTS):
        key = f"{variant}, seed {seed}"
        if key not in found["runs"]:
            found["runs"][key] = run(variant, seed)
            print(
                key, found["runs"][key]["losses"][-1], found["runs"][key]["valid_nll"]
            )
            write_results(path, found | {"updates": UPDATES, "seeds": SEEDS})


if __name__ == "__main__":
    main()
