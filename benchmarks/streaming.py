"""Translate a file of many lines with the command, and watch the memory of the process. Linux.

python benchmarks/streaming.py --lines 1000000 --results results/streaming.json
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

from annotated_transformer.data import world_corpus
from annotated_transformer.evaluation import check_results, write_results

MODEL, EVERY = "world-en-de", 2.0  # seconds


def resident(pid: int) -> float:
    """Megabytes of a process that are in memory."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--results", metavar="FILE", default="results/streaming.json")
    args = parser.parse_args()
    check_results(args.results)
    sentences = [s for s, _ in world_corpus(30_000).train if len(s.split()) <= 8]
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "source.txt", Path(folder) / "target.txt"
        with source.open("w", encoding="utf-8") as file:
            file.writelines(f"{s}\n" for s in islice(cycle(sentences), args.lines))
        command = [sys.executable, "-m", "annotated_transformer.cli", "translate"]
        command += [MODEL, "--beam", "1", "--input", str(source)]
        began, memory = time.perf_counter(), []
        with target.open("wb") as out:
            process = subprocess.Popen(command, stdout=out)
            while process.poll() is None:
                time.sleep(EVERY)
                if process.poll() is None:
                    done = os.path.getsize(target)
                    memory.append((done, round(resident(process.pid), 1)))
        seconds = time.perf_counter() - began
        if process.returncode:
            raise SystemExit(f"translate failed with exit code {process.returncode}")
        with target.open("rb") as file:
            written = sum(1 for _ in file)
        size = os.path.getsize(target)
    if written != args.lines:
        raise SystemExit(f"{args.lines} lines went in, {written} came out")
    tenths: dict[str, float] = {}
    for done, megabytes in memory:  # the most in each tenth of the output
        key = f"{min(9, 10 * done // size) + 1}/10"
        tenths[key] = max(tenths.get(key, 0.0), megabytes)
    found = {"model": MODEL, "beam": 1, "lines": written, "seconds": round(seconds, 1)}
    write_results(args.results, found | {"megabytes by tenth of the output": tenths})
    print(found, tenths)


if __name__ == "__main__":
    main()
