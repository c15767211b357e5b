"""Shared fixtures: the repository's root, the command as a process, a small trained run."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("MPLBACKEND", "agg")
os.environ.setdefault("OMP_NUM_THREADS", "1")  # the tests run in two processes

PROGRAM = [sys.executable, "-m", "annotated_transformer.cli"]
Command = Callable[..., subprocess.CompletedProcess[bytes]]
SMALL = [
    "--data",
    "world",
    "--sentences",
    "300",
    "--v",
    "400",
    "--N",
    "1",
    "--d_model",
    "32",
    "--d_ff",
    "64",
    "--batch_tokens",
    "400",
    "--every",
    "10",
]


def command(
    *words: str | bytes, stdin: bytes = b"", timeout: int = 120, **options: object
) -> subprocess.CompletedProcess[bytes]:
    """Run `annotated-transformer` as a process of its own."""
    return subprocess.run(
        [*PROGRAM, *words],
        input=stdin,
        capture_output=True,
        timeout=timeout,
        check=False,
        **options,
    )  # type: ignore[call-overload]


@pytest.fixture(scope="session")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 30 updates of a tiny model on the embedded world."""
    run = tmp_path_factory.mktemp("runs") / "small"
    done = command("train", *SMALL, "--steps", "30", "--out", str(run))
    assert done.returncode == 0, done.stderr.decode()
    return run
