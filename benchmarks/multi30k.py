"""The Multi30k models of one seed: two first models, one for each direction, translate the training set; from each goes
on a final model of its direction, with three times the pairs. Then each final model is scored on each test set, once.

python benchmarks/multi30k.py --pair en-de --seeds 0 1 2

It runs the commands that it prints. What is there is not made again: a run that was stopped goes on, and a set
that has its results file is not looked at a second time. `--only` does some of the steps, for two processes:
`--only first translate`, with the pair and with its reverse, makes the two first models side by side; then
`--only final valid` does so with the final ones. `--only cost` adds up what a seed took.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from annotated_transformer.checkpoints import load, write_text
from annotated_transformer.config import preset
from annotated_transformer.data import Pairs, file_hash, multi30k, read_lines
from annotated_transformer.diversification import diversified, weights_hash
from annotated_transformer.evaluation import write_results

SETS = ("test_2016_flickr", "test_2017_flickr", "test_2017_mscoco", "test_2018_flickr")
PRESET = ("--preset", "multi30k-full", "--every", 250, "--average", 10)
FIRST = {"train_steps": 10_000}
FINAL = {"train_steps": 8000, "peak_rate": 0.001, "warmup_steps": 400}
DATA = ("--beam", 4, "--alpha", 1.0)  # when the training set is translated
SEARCH = ("--beam", 5, "--alpha", 1.4)  # when a test set is; chosen on validation pairs
STEPS = ("first", "translate", "final", "cost", "valid", "test")
ONE_WAY = {"first", "translate"}  # steps that one direction can do without the other


def annotated_transformer(*words: object) -> None:
    """Run the project's command with one thread; stop if it fails."""
    texts = [str(word) for word in words]
    print("annotated-transformer", *texts, file=sys.stderr)
    command = [sys.executable, "-m", "annotated_transformer.cli", *texts]
    process = subprocess.Popen(command, env=os.environ | {"OMP_NUM_THREADS": "1"})
    try:
        code = process.wait()
    except KeyboardInterrupt:
        process.wait()  # it heard the same signal, and saves
        raise SystemExit(130) from None
    if code:
        raise SystemExit(code)


def train(
    run: Path, seed: int, changes: dict[str, Any], start: Path | None, *words: object
) -> None:
    """Train a run, or go on with it; stop if it is there and of another recipe."""
    if (run / "model").is_dir():
        own = json.loads((run / "run.json").read_text(encoding="utf-8"))
        asked = {
            "seed": seed,
            "hyperparameters": asdict(preset("multi30k-full", **changes)),
            "start": weights_hash(load(start)) if start else None,
        }
        for key, value in asked.items():
            if own.get(key) != value:
                raise SystemExit(f"{run} is of another {key}; move it away")
        return
    options = [word for key, value in changes.items() for word in (f"--{key}", value)]
    begin = ["--start", start] if start else []
    resume = ["--resume"] if run.exists() else []
    words = (*words, *begin, *PRESET, *options, "--seed", seed, "--out", run, *resume)
    annotated_transformer("train", *words)


def write_pairs(folder: Path, split: str, pairs: Pairs, pair: str) -> None:
    """Two text files, all or nothing each."""
    for side, language in enumerate(pair.split("-")):
        lines = (p[side] for p in pairs)
        write_text(folder / f"{split}.{language}", "\n".join(lines) + "\n")


def weights_of(run: Path) -> str:
    """The hash of a finished run's weights."""
    return file_hash(run / "model" / "weights.safetensors")


def made_by(run: Path) -> Path:
    """Where a first model's translations of its training set are; the name has the search, and a hash of the weights."""
    beam, alpha = DATA[1::2]
    return run / f"translated-beam{beam}-alpha{alpha}-{weights_of(run)[:12]}.txt"


def translate(pair: str, run: Path) -> None:
    """Let a first model translate the sources of its training set."""
    found, asked = made_by(run), run / "sources.txt"
    if found.exists():
        return
    sources = [s for s, _ in multi30k(*pair.split("-")).train]
    write_text(asked, "\n".join(sources) + "\n")
    began, new = time.monotonic(), found.with_suffix(".new")
    new.unlink(missing_ok=True)
    annotated_transformer(
        "translate", run / "model", "--input", asked, "--output", new, *DATA
    )
    write_text(seconds_of(found), f"{time.monotonic() - began:.1f}\n")
    new.rename(found)


def seconds_of(translations: Path) -> Path:
    """Where the time is that some translations took."""
    return translations.with_name(f"{translations.name}.seconds")


def write_corpus(pair: str, first: Path, other: Path, folder: Path) -> None:
    """The corpus of a final model, as a folder of text files."""
    for run in (first, other):
        if not (run / "model").is_dir() or not made_by(run).exists():
            raise SystemExit(f"{run} is not complete; do 'first' and 'translate' first")
    done, made = folder / "done.json", [file_hash(made_by(r)) for r in (first, other)]
    if done.exists():
        if json.loads(done.read_text(encoding="utf-8")) != made:
            raise SystemExit(
                f"{folder} was made of other translations; move it away, and {folder.parent.name.removesuffix('-data')} with it"
            )
        return
    corpus = multi30k(*pair.split("-"))
    folder.mkdir(parents=True, exist_ok=True)
    forward, backward = (read_lines(made_by(run)) for run in (first, other))
    write_pairs(folder, "train", diversified(corpus.train, forward, backward), pair)
    write_pairs(folder, "valid", corpus.valid, pair)
    write_text(done, json.dumps(made))


def cost(first: list[Path], last: Path, path: Path) -> None:
    """What the updates and translations of a seed took, one thread each; validation, start-up and lost work are not counted."""
    stages: dict[str, dict[str, float]] = {}
    for run in (*first, last):
        if not (run / "model").is_dir():
            raise SystemExit(f"{run} is not trained to its end; train it first")
        line = (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()[-1]
        found = json.loads(line)
        stages[run.name] = {key: found[key] for key in ("step", "tokens", "seconds")}
    for run in first:
        seconds = seconds_of(made_by(run)).read_text(encoding="utf-8")
        stages[run.name]["seconds of translation"] = float(seconds)
    if path.exists():
        if json.loads(path.read_text(encoding="utf-8"))["stages"] != stages:
            raise SystemExit(f"{path} is of other runs; move it away")
        return
    apart = [sum(v for k, v in s.items() if "seconds" in k) for s in stages.values()]
    results = {
        "stages": stages,
        "core seconds": round(sum(apart), 1),
        "seconds": round(max(apart[:-1]) + apart[-1], 1),  # first models side by side
    }
    write_results(path, results)


def check_same(file: Path, run: Path) -> None:
    """Stop if a results file is of another run, or of another search."""
    results = json.loads(file.read_text(encoding="utf-8"))
    own = json.loads((run / "run.json").read_text(encoding="utf-8"))
    theirs, decoding = results["training"], results["decoding"]
    own["updates"] = own["hyperparameters"]["train_steps"]
    for key in ("languages", "data", "seed", "hyperparameters", "start", "updates"):
        if theirs.get(key) != own.get(key):
            raise SystemExit(f"{file} is of a run with another {key}; move it away")
    if (decoding["beam"], decoding["alpha"]) != SEARCH[1::2]:
        raise SystemExit(f"{file} is of another search ({decoding}); move it away")


def evaluate(pair: str, run: Path, results: Path, sets: tuple[str, ...]) -> None:
    """Score a final model on the sets that exist for the pair and have no results yet."""
    target = pair.split("-")[1]
    if not (run / "model").is_dir():
        raise SystemExit(f"{run} is not trained to its end; do the step 'final' first")
    for name in sets:
        stem = results / f"{run.name.removeprefix('multi30k-')}-{name}"
        if Path(f"{stem}.json").exists():
            check_same(Path(f"{stem}.json"), run)
            continue
        kept = Path(f"{stem}.{target}")
        kept.unlink(missing_ok=True)  # of an evaluation that did not end
        keep = ["--translations", kept] if name == SETS[0] else []
        which = ["--data", "multi30k", "--split", name, "--all-scores", *SEARCH]
        annotated_transformer(
            "evaluate", run / "model", *which, *keep, "--results", f"{stem}.json"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pair", default="en-de")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--runs", type=Path, default=Path("runs"))
    parser.add_argument("--results", type=Path, default=Path("results/multi30k"))
    parser.add_argument("--only", nargs="+", choices=STEPS, default=STEPS)
    args = parser.parse_args()
    pair, steps = args.pair, args.only
    back = "-".join(reversed(pair.split("-")))
    for seed in args.seeds:
        run = args.runs / f"multi30k-{pair}-seed{seed}"
        folder = run.with_name(f"{run.name}-data") / "multi30k-diversified"
        first, other = (
            args.runs / f"multi30k-{p}-seed{seed}-first" for p in (pair, back)
        )
        both = {pair: first, back: other}
        for way, model in both.items():
            if way == back and set(steps) <= ONE_WAY:
                continue  # the other process does it
            if "first" in steps:
                train(model, seed, FIRST, None, "--data", "multi30k", "--pair", way)
            if "translate" in steps:
                translate(way, model)
        if "final" in steps:
            write_corpus(pair, first, other, folder)
            start = first / "model"
            train(run, seed, FINAL, start, "--data", folder, "--pair", pair)
        args.results.mkdir(parents=True, exist_ok=True)
        if "cost" in steps:
            path = args.results / f"{pair}-seed{seed}-cost.json"
            cost(list(both.values()), run, path)
        if "valid" in steps:
            evaluate(pair, run, args.results, ("valid",))
        if "test" in steps:
            evaluate(pair, run, args.results, SETS)


if __name__ == "__main__":
    main()
