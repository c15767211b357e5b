"""How far the attention of each layer is spread, in several runs: 0 if each query sees one token, 1 if all alike.

python benchmarks/entropies.py runs/a runs/b … --results results/recipe/entropies.json

The mean over heads and over the first 300 validation pairs of Multi30k; of the final model of each run, which is the
mean of several checkpoints, or else of its last checkpoint. No run leaves the file; one that is named is measured again.
"""

import argparse
import datetime
import json
from pathlib import Path
from statistics import fmean
from typing import Any

import torch

from annotated_transformer.checkpoints import load, write_text
from annotated_transformer.data import multi30k
from annotated_transformer.evaluation import circumstances
from annotated_transformer.heads import summarize_heads
from annotated_transformer.transformer import Transformer

PAIRS = 300


def entry(run: Path) -> dict[str, Any]:
    """Entropies of a run's newest model, layer by layer."""
    model = load(run)
    config, pairs = model.model.config, multi30k(*model.languages).valid[:PAIRS]
    found = summarize_heads(model, pairs)
    spread = {
        kind: [
            round(fmean(found[kind, layer, h].entropy for h in range(config.h)), 3)
            for layer in range(config.N)
        ]
        for kind in ("encoder", "decoder", "cross")
    }
    shape = {key: getattr(config, key) for key in ("N", "d_model", "peak_rate")}
    shape |= {"batch_tokens": config.batch_tokens, "W_Q growth": growth(model.model)}
    today = datetime.date.today().isoformat()
    facts: dict[str, Any] = {"updates": model.updates, "averaged": model.averaged}
    return {"name": run.name, "date": today, **facts, **shape, **spread}


def growth(model: Transformer) -> list[float]:
    """Root mean square of each encoder layer's W_Q, in units of that of its initialization (Glorot & Bengio)."""
    weights = [
        p.detach()
        for name, p in model.encoder.named_parameters()
        if name.endswith("self_attention.W_Q.weight")
    ]
    return [
        round((w.square().mean() * sum(w.shape) / 2).sqrt().item(), 3) for w in weights
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--results", type=Path, required=True)
    args = parser.parse_args()
    torch.set_num_threads(1)
    names = [run.name for run in args.runs]
    if twice := {name for name in names if names.count(name) > 1}:
        raise SystemExit(f"two runs are called {min(twice)}; rename one folder")
    known: dict[str, dict[str, Any]] = {}
    if args.results.exists():
        before = json.loads(args.results.read_text(encoding="utf-8"))
        known = {run["name"]: run for run in before["runs"]}
    known |= {run.name: entry(run) for run in args.runs}
    record = circumstances() | {"command": "python benchmarks/entropies.py RUNS"}
    record |= {"pairs": PAIRS, "runs": list(known.values())}
    write_text(args.results, json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
