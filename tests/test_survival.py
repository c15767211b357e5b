"""A full disk, a killed preparation, two programs in one folder: a clear sentence, and nothing is lost."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from annotated_transformer.checkpoints import load
from annotated_transformer.pipeline import Prepared

from .conftest import PROGRAM, SMALL, command

resource = pytest.importorskip("resource", reason="limits as on POSIX")
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


def test_a_killed_preparation_goes_on(tmp_path: Path) -> None:
    for name in ("a.en", "a.de"):
        lines = (f"line {i} of a file named {name}\n" for i in range(120_000))
        (tmp_path / name).write_text("".join(lines))
    words = ["prepare", "--files", "a.en", "a.de", "--v", "80", "--sample", "2000"]
    state = tmp_path / "data.partial" / "train.json"
    with subprocess.Popen(
        [*PROGRAM, *words, "--out", "data"], cwd=tmp_path, stderr=subprocess.DEVNULL
    ) as process:
        while not state.exists():  # the first piece is on the disk
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    done = json.loads(state.read_text())
    assert 0 < done["tally"]["kept"] < 119_000
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
