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
import subprocess
import sys
import time
from pathlib import Path

from annotated_transformer.checkpoints import write_text
from annotated_transformer.data import Pairs, file_hash, multi30k, read_lines
from annotated_transformer.diversification import diversified
from annotated_transformer.evaluation import write_results

SETS = ("test_2016_flickr", "test_2017_flickr", "test_2017_mscoco", "test_2018_flickr")
PRESET = ("--preset", "multi30k-full", "--every", 250, "--average", 10)
FIRST = ("--train_steps", 10_000)
FINAL = ("--train_steps", 8000, "--peak_rate", 0.001, "--warmup_steps", 400)
DATA = ("--beam", 4, "--alpha", 1.0)  # when the training set is translated
SEARCH = ("--beam", 5, "--alpha", 1.4)  # when a test set is; chosen on validation pairs
STEPS = ("first", "translate", "final", "cost", "valid", "test")
ONE_WAY = {"first", "translate"}  # steps that one direction can do without the other


def annotated_transformer(*words: object) -> None:
    """Run the project's command; stop if it fails."""
    texts = [str(word) for word in words]
    print("annotated-transformer", *texts, file=sys.stderr)
    command = [sys.executable, "-m", "annotated_transformer.cli", *texts]
    process = subprocess.Popen(command)
    try:
        code = process.wait()
    except KeyboardInterrupt:
        process.wait()  # it heard the same signal, and saves
        raise SystemExit(130) from None
    if code:
        raise SystemExit(code)


def train(run: Path, seed: int, *words: object) -> None:
    """Train a run, or go on with it."""
    if (run / "model").is_dir():
        own = json.loads((run / "run.json").read_text(encoding="utf-8"))
        updates = words[words.index("--train_steps") + 1]
        if (own["seed"], own["hyperparameters"]["train_steps"]) != (seed, updates):
            raise SystemExit(f"{run} is of another seed or length; move it away")
        return
    resume = ["--resume"] if run.exists() else []
    annotated_transformer(
        "train", *words, *PRESET, "--seed", seed, "--out", run, *resume
    )


def write_pairs(folder: Path, split: str, pairs: Pairs, pair: str) -> None:
    """Two text files, all or nothing each."""
    for side, language in enumerate(pair.split("-")):
        lines = (p[side] for p in pairs)
        write_text(folder / f"{split}.{language}", "\n".join(lines) + "\n")


def weights_of(run: Path) -> str:
    """The hash of a finished run's weights."""
    return file_hash(run / "model" / "weights.safetensors")


def made_by(run: Path) -> Path:
    """Where a first model's translations of its training set are; the name has the hash of the weights."""
    return run / f"translated-{weights_of(run)[:12]}.txt"


def translate(pair: str, run: Path) -> None:
    """Let a first model translate the sources of its training set."""
    found, asked = made_by(run), run / "sources.txt"
    if found.exists():
        return
    sources = [s for s, _ in multi30k(*pair.split("-")).train]
    write_text(asked, "\n".join(sources) + "\n")
    began = time.monotonic()
    annotated_transformer(
        "translate", run / "model", "--input", asked, "--output", found, *DATA
    )
    write_text(found.with_suffix(".seconds"), f"{time.monotonic() - began:.1f}\n")


def write_corpus(pair: str, first: Path, other: Path, folder: Path) -> None:
    """The corpus of a final model, as a folder of text files."""
    for run in (first, other):
        if not (run / "model").is_dir() or not made_by(run).exists():
            raise SystemExit(f"{run} is not complete; do 'first' and 'translate' first")
    done, made = folder / "done.json", [weights_of(first), weights_of(other)]
    if done.exists():
        if json.loads(done.read_text(encoding="utf-8")) != made:
            raise SystemExit(f"{folder} was made by other first models; move it away")
        return
    corpus = multi30k(*pair.split("-"))
    folder.mkdir(parents=True, exist_ok=True)
    forward, backward = (read_lines(made_by(run)) for run in (first, other))
    write_pairs(folder, "train", diversified(corpus.train, forward, backward), pair)
    write_pairs(folder, "valid", corpus.valid, pair)
    write_text(done, json.dumps(made))


def cost(first: list[Path], last: Path, path: Path) -> None:
    """What each stage of a seed took, one thread each, added up from what the runs wrote."""
    if path.exists():
        return
    stages: dict[str, dict[str, float]] = {}
    for run in (*first, last):
        line = (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()[-1]
        found = json.loads(line)
        stages[run.name] = {key: found[key] for key in ("step", "tokens", "seconds")}
    for run in first:
        seconds = made_by(run).with_suffix(".seconds").read_text(encoding="utf-8")
        stages[run.name]["seconds of translation"] = float(seconds)
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
    for key in ("data", "seed", "hyperparameters", "start", "updates"):
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
                train(model, seed, "--data", "multi30k", "--pair", way, *FIRST)
            if "translate" in steps:
                translate(way, model)
        if "final" in steps:
            write_corpus(pair, first, other, folder)
            start = ("--start", first / "model", *FINAL)
            train(run, seed, "--data", folder, "--pair", pair, *start)
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
