"""Preparing a large corpus: peak memory of the whole process tree, pairs a second, and the gain from parallel sub-wording.

python benchmarks/prepare_corpus.py --results results/prepare-corpus.json

Synthetic pairs of the embedded world's kind are written to a temporary folder; `annotated-transformer prepare` runs on
200,000 and on 2,000,000 of them, as a process of its own whose memory is watched (Linux).
"""

import argparse
import itertools
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from annotated_transformer.cleaning import Rules, Tally
from annotated_transformer.data import Tokenizer, world_corpus
from annotated_transformer.evaluation import write_results
from annotated_transformer.pipeline import Prepared, encoded_pieces, pieces_of

PROGRAM = [sys.executable, "-m", "annotated_transformer.cli"]


def write_pairs(folder: Path, n: int) -> None:
    """`n` pairs in two files: 20,000 of the world, numbered so that lines differ."""
    world = world_corpus(20_000).train
    with (folder / "a.en").open("w") as en, (folder / "a.de").open("w") as de:
        for i, (source, target) in enumerate(
            itertools.islice(itertools.cycle(world), n)
        ):
            en.write(f"{source} {i % 1000}\n")
            de.write(f"{target} {i % 1000}\n")


def tree_memory(pid: int) -> int:
    """Bytes that a process and its descendants do not share (proportional set size)."""
    total, waiting = 0, [pid]
    while waiting:
        p = waiting.pop()
        try:
            for line in Path(f"/proc/{p}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1]) * 1024
            for task in Path(f"/proc/{p}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
    return total


def prepare(folder: Path, n: int, v: int) -> dict[str, Any]:
    """Run the command on `n` pairs; seconds and peak memory."""
    write_pairs(folder, n)
    words = ["prepare", "--files", f"{folder}/a.en", f"{folder}/a.de", "--v", str(v)]
    started, peak = time.perf_counter(), 0
    with subprocess.Popen(
        [*PROGRAM, *words, "--out", str(folder / "out")],
        stderr=subprocess.DEVNULL,
    ) as process:
        while process.poll() is None:
            peak = max(peak, tree_memory(process.pid))
            time.sleep(0.2)
    seconds = time.perf_counter() - started
    if (
        process.returncode != 0
        or len(Prepared(folder / "out").pairs("train")) != n - 1000
    ):
        raise RuntimeError("preparing failed")
    return {
        "pairs": n,
        "seconds": round(seconds, 1),
        "peak memory, MB": round(peak / 1e6),
    }


def sub_wording(
    tokenizer: Tokenizer, workers: int, n: int = 200_000
) -> dict[str, float]:
    """Lines a second: one process, line by line, against `workers` threads; in turn, medians of three."""
    world = list(itertools.islice(itertools.cycle(world_corpus(20_000).train), n))
    rates: dict[str, list[float]] = {"line by line": [], f"{workers} threads": []}
    for _ in range(3):
        started = time.perf_counter()
        for source, target in world:
            tokenizer.processor.encode(source)
            tokenizer.processor.encode(target)
        rates["line by line"].append(2 * n / (time.perf_counter() - started))
        pieces = encoded_pieces(
            pieces_of(iter(world), Tally(), 5000), tokenizer, workers
        )
        next(pieces)  # the threads have started
        started = time.perf_counter()
        rest = sum(len(piece[0]) for piece, _ in pieces)
        rates[f"{workers} threads"].append(2 * rest / (time.perf_counter() - started))
    return {name: round(sorted(rate)[1]) for name, rate in rates.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, nargs="+", default=[200_000, 2_000_000])
    parser.add_argument("--v", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--results", metavar="FILE")
    args = parser.parse_args()
    found: dict[str, Any] = {"rules": str(Rules()), "vocabulary": args.v, "runs": []}
    for n in args.pairs:
        with tempfile.TemporaryDirectory() as tmp:
            found["runs"].append(prepare(Path(tmp), n, args.v))
            print(found["runs"][-1], flush=True)
            tokenizer = Prepared(Path(tmp) / "out").tokenizer
    found["lines a second"] = sub_wording(tokenizer, args.workers)
    slow, fast = found["lines a second"].values()
    found["gain"] = round(fast / slow, 2)
    print(found["lines a second"], found["gain"])
    if args.results:
        write_results(args.results, found)


if __name__ == "__main__":
    main()
