"""Collect training runs into one dated log: what was tried, on the validation pairs only, and how far it got.

python benchmarks/recipe_log.py runs/a runs/b … --results results/recipe-multi30k.json

Each run's own files are read: `run.json` and `metrics.jsonl`. Runs that the log has already are brought up to date;
no run leaves it.
"""

import argparse
import datetime
import json
from pathlib import Path
from typing import Any

import torch

from annotated_transformer.checkpoints import write_text
from annotated_transformer.evaluation import circumstances
from annotated_transformer.runs import read_metrics


def entry(run: Path) -> dict[str, Any]:
    """What a run says of itself."""
    identity = json.loads((run / "run.json").read_text(encoding="utf-8"))
    records = read_metrics(run / "metrics.jsonl")
    if not records:
        raise SystemExit(f"{run} has no updates yet")
    keys = ("step", "tokens", "seconds", "valid_nll", "BLEU")
    curve = [{k: r[k] for k in keys if k in r} for r in records if "valid_nll" in r]
    began = datetime.date.fromtimestamp((run / "run.json").stat().st_mtime)
    facts = {key: identity[key] for key in ("corpus", "languages", "data", "seed")}
    if identity.get("start"):  # hash of the weights that it began with
        facts["start"] = identity["start"]
    return {
        "name": run.name,
        "date": began.isoformat(),
        **facts,
        "hyperparameters": identity["hyperparameters"],
        "updates": int(records[-1]["step"]),
        "curve": curve,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--results", type=Path, required=True)
    args = parser.parse_args()
    known: dict[str, dict[str, Any]] = {}
    if args.results.exists():
        before = json.loads(args.results.read_text(encoding="utf-8"))
        known = {run["name"]: run for run in before["runs"]}
    names = [run.name for run in args.runs]
    if twice := {name for name in names if names.count(name) > 1}:
        raise SystemExit(f"two runs are called {min(twice)}; rename one folder")
    known |= {run.name: entry(run) for run in args.runs}
    torch.set_num_threads(1)  # as in the runs
    record = circumstances() | {"command": "python benchmarks/recipe_log.py RUNS"}
    text = json.dumps(record | {"runs": list(known.values())}, indent=1)
    write_text(args.results, text + "\n")


if __name__ == "__main__":
    main()
