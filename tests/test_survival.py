"""A full disk, a worker that dies, two programs in one folder: a clear sentence, and nothing is lost."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from annotated_transformer.checkpoints import load
from annotated_transformer.pipeline import Prepared

from .conftest import PROGRAM, SMALL, command

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="limits and /proc as on Linux"
)


def no_large_files() -> None:
    """From here on a file of this process can't grow beyond 30 kB, as if the disk were full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))


def test_a_full_disk_keeps_the_last_checkpoint(tmp_path: Path) -> None:
    run, train = tmp_path / "run", ["train", *SMALL, "--out", str(tmp_path / "run")]
    assert command(*train, "--steps", "20").returncode == 0
    before = load(run).model.state_dict()
    done = command(*train, "--steps", "40", "--resume", preexec_fn=no_large_files)
    assert done.returncode == 1
    assert b"File too large; what was complete is kept" in done.stderr
    assert b"Traceback" not in done.stderr
    left = [p for p in run.rglob("*") if p.name.endswith((".partial", ".old"))]
    assert left == []
    after = load(run).model.state_dict()
    assert all((before[name] == after[name]).all() for name in before)
    assert command(*train, "--steps", "40", "--resume").returncode == 0


def test_a_full_disk_behind_standard_output(small_run: Path) -> None:
    with Path("/dev/full").open("w") as full:
        words = ["translate", str(small_run), "The dog sleeps."]
        done = subprocess.run(
            [*PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert b"No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr


def children(pid: int) -> list[int]:
    """Processes that a process has started, and those they have."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found += [child, *children(child)]
    return found


def is_worker(pid: int) -> bool:
    """Is it one of the processes that cut sub-words?"""
    try:
        return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def test_a_dying_worker_is_named_and_the_preparation_goes_on(tmp_path: Path) -> None:
    for name in ("a.en", "a.de"):
        lines = (f"line {i} of a file named {name}\n" for i in range(120_000))
        (tmp_path / name).write_text("".join(lines))
    words = ["prepare", "--files", "a.en", "a.de", "--v", "80", "--sample", "2000"]
    with subprocess.Popen(
        [*PROGRAM, *words, "--out", "data"], cwd=tmp_path, stderr=subprocess.PIPE
    ) as process:
        deadline = time.time() + 60
        while not (workers := [p for p in children(process.pid) if is_worker(p)]):
            assert process.poll() is None
            assert time.time() < deadline
            time.sleep(0.02)
        os.kill(workers[0], signal.SIGKILL)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert b"a process that cuts sub-words has died" in errors
    assert b"Traceback" not in errors
    assert command(*words, "--out", "data", cwd=tmp_path).returncode == 0
    assert command(*words, "--out", "whole", cwd=tmp_path).returncode == 0
    fingerprints = [Prepared(tmp_path / d).fingerprint() for d in ("data", "whole")]
    assert fingerprints[0] == fingerprints[1]


def test_two_trainings_in_one_folder(tmp_path: Path) -> None:
    run = tmp_path / "run"
    train = ["train", *SMALL, "--out", str(run)]
    with subprocess.Popen(
        [*PROGRAM, *train, "--train_steps", "100000"], stderr=subprocess.DEVNULL
    ) as first:
        while not (run / "checkpoints").exists():
            assert first.poll() is None
            time.sleep(0.05)
        done = command(*train, "--train_steps", "100000", "--resume")
        first.send_signal(signal.SIGKILL)
    assert done.returncode == 1
    assert b"another process is writing to" in done.stderr
    # the lock dies with its process
    words = [*train, "--train_steps", "100000", "--minutes", "0.001", "--resume"]
    assert command(*words).returncode == 0
