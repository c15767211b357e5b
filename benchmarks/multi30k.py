"""The Multi30k models: train each seed, then score it on each test set, once.

python benchmarks/multi30k.py --pair en-de --seeds 0 1 2

It runs the commands that it prints. What is there is not made again: a run that was stopped goes on, and a set
that has its results file is not looked at a second time.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

SETS = ("test_2016_flickr", "test_2017_flickr", "test_2017_mscoco", "test_2018_flickr")
PRESET, AVERAGE = "multi30k-full", 10


def annotated_transformer(*words: object) -> None:
    """Run the project's command; stop if it fails."""
    texts = [str(word) for word in words]
    print("annotated-transformer", *texts, file=sys.stderr)
    command = [sys.executable, "-m", "annotated_transformer.cli", *texts]
    subprocess.run(command, check=True)


def train(pair: str, seed: int, run: Path) -> None:
    """Train one seed, or go on with it."""
    if (run / "model").is_dir():
        return
    which = ["--data", "multi30k", "--pair", pair, "--preset", PRESET]
    plan = ["--seed", seed, "--every", 250, "--average", AVERAGE]
    resume = ["--resume"] if run.exists() else []
    annotated_transformer("train", *which, *plan, "--out", run, *resume)


def check_same(file: Path, run: Path) -> None:
    """Stop if a results file is of another run."""
    theirs = json.loads(file.read_text(encoding="utf-8"))["training"]
    own = json.loads((run / "run.json").read_text(encoding="utf-8"))
    for key in ("data", "seed", "hyperparameters"):
        if theirs[key] != own[key]:
            raise SystemExit(f"{file} is of a run with another {key}; move it away")


def evaluate(pair: str, seed: int, run: Path, results: Path) -> None:
    """Score one seed on the sets that exist for the pair and have no results yet."""
    target = pair.split("-")[1]
    for name in SETS:
        stem = results / f"{pair}-seed{seed}-{name}"
        if Path(f"{stem}.json").exists():
            check_same(Path(f"{stem}.json"), run)
            continue
        kept = Path(f"{stem}.{target}")
        kept.unlink(missing_ok=True)  # of an evaluation that did not end
        keep = ["--translations", kept] if name == SETS[0] else []
        which = ["--data", "multi30k", "--split", name, "--all-scores"]
        annotated_transformer(
            "evaluate", run, *which, *keep, "--results", f"{stem}.json"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pair", default="en-de")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--runs", type=Path, default=Path("runs"))
    parser.add_argument("--results", type=Path, default=Path("results/multi30k"))
    parser.add_argument("--train-only", action="store_true", help="look at no test set")
    args = parser.parse_args()
    for seed in args.seeds:
        run = args.runs / f"multi30k-{args.pair}-seed{seed}"
        train(args.pair, seed, run)
        if not args.train_only:
            args.results.mkdir(parents=True, exist_ok=True)
            evaluate(args.pair, seed, run, args.results)


if __name__ == "__main__":
    main()
