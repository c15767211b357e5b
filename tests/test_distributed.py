"""Several processes, and processes that die: the run must be the one that a single undisturbed process makes."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from annotated_transformer.checkpoints import load

from .conftest import PROGRAM, SMALL, command

pytestmark = pytest.mark.skipif(os.name == "nt", reason="gloo and signals as on POSIX")


def curve(run: Path) -> list[float]:
    """The losses in the metrics of a run."""
    lines = (run / "metrics.jsonl").read_text().splitlines()
    return [json.loads(line)["loss"] for line in lines]


def torchrun(processes: int, *words: str) -> subprocess.CompletedProcess[bytes]:
    """The command in several processes that find each other."""
    program = ["-m", "torch.distributed.run", f"--nproc-per-node={processes}"]
    program += ["--standalone", "-m", "annotated_transformer.cli", "--"]
    env = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, *program, *words], env=env, capture_output=True, check=False
    )


def test_two_processes_make_the_curve_of_one(tmp_path: Path) -> None:
    train = ["train", *SMALL, "--P_drop", "0", "--steps", "30"]
    one, two = tmp_path / "one", tmp_path / "two"
    done = command(*train, "--accumulate", "2", "--out", str(one))
    assert done.returncode == 0, done.stderr.decode()
    done = torchrun(2, *train, "--out", str(two))
    assert done.returncode == 0, done.stderr.decode()
    assert curve(two) == pytest.approx(curve(one), rel=1e-5)
    assert done.stderr.count(b"preset demo") == 1  # nothing is logged twice
    first, second = (load(run).model.state_dict() for run in (one, two))
    for name, weight in first.items():
        torch.testing.assert_close(second[name], weight, atol=1e-4, rtol=1e-3)


def test_more_processes_than_pieces_of_the_last_update(tmp_path: Path) -> None:
    few = ["train", *SMALL, "--sentences", "40", "--v", "200", "--batch_tokens", "1200"]
    done = torchrun(3, *few, "--steps", "4", "--out", str(tmp_path / "run"))
    assert done.returncode == 0, done.stderr.decode()
    assert len(curve(tmp_path / "run")) == 1


def test_another_number_of_pieces_is_refused(tmp_path: Path) -> None:
    train = ["train", *SMALL, "--out", str(tmp_path / "run")]
    assert command(*train, "--steps", "10").returncode == 0
    done = command(*train, "--steps", "20", "--resume", "--accumulate", "2")
    assert b"was started with pieces = 1, not 2" in done.stderr


def test_killed_at_random_moments(tmp_path: Path) -> None:
    train = ["train", *SMALL, "--P_drop", "0.2", "--train_steps", "260"]
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    env = os.environ | {"OMP_NUM_THREADS": "1"}  # sums depend on the number of threads
    assert command(*train, "--out", str(whole), env=env).returncode == 0
    rng, kills = random.Random(0), 0
    while kills < 20:
        words = [*train, "--out", str(cut), *["--resume"] * cut.exists()]
        before = steps_made(cut)
        with subprocess.Popen(
            [*PROGRAM, *words], stderr=subprocess.DEVNULL, env=env
        ) as process:
            # half of the kills come before the first update of the session
            while process.poll() is None and kills % 2 and steps_made(cut) == before:
                time.sleep(0.01)
            time.sleep(rng.random() * (0.2 if kills % 2 else 2))
            if process.poll() is not None:
                break
            process.send_signal(signal.SIGKILL)
            kills += 1
    assert kills >= 10
    assert command(*train, "--out", str(cut), "--resume", env=env).returncode == 0
    for name in ("weights.safetensors", "tokenizer.model"):
        expected = (whole / "model" / name).read_bytes()
        assert (cut / "model" / name).read_bytes() == expected
    assert curve(cut) == curve(whole)
    assert not [p for p in cut.rglob("*") if p.name.endswith((".partial", ".old"))]


def steps_made(run: Path) -> int:
    """Checkpoints that the run has, as the last one's number."""
    names = sorted(p.name for p in (run / "checkpoints").glob("step-*"))
    return int(names[-1].removeprefix("step-")) if names else 0


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_translating_in_another_process(method: str, small_run: Path) -> None:
    program = f"""
import multiprocessing
from annotated_transformer.checkpoints import load
from annotated_transformer.search import translate

def work(folder):
    return translate(load(folder), ["The dog sleeps."])

if __name__ == "__main__":
    with multiprocessing.get_context("{method}").Pool(2) as pool:
        first, second = pool.map(work, ["{small_run}"] * 2)
    assert first == second == work("{small_run}")
"""
    script = small_run.parent / f"{method}.py"
    script.write_text(program)
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr.decode()


def test_sharded_layers_make_the_same_curve(tmp_path: Path) -> None:
    few = ["--sentences", "40", "--v", "200", "--batch_tokens", "600"]  # ragged epochs
    train = ["train", *SMALL, *few, "--P_drop", "0", "--every", "10"]
    plain, sharded = tmp_path / "plain", tmp_path / "sharded"
    done = torchrun(2, *train, "--steps", "24", "--out", str(plain))
    assert done.returncode == 0, done.stderr.decode()
    # in two sessions, so that the state is put together and taken apart again
    for steps, more in (("13", []), ("24", ["--resume"])):
        words = [*train, "--shard", "--steps", steps, *more, "--out", str(sharded)]
        done = torchrun(2, *words)
        assert done.returncode == 0, done.stderr.decode()
    assert curve(sharded)[-1] == pytest.approx(curve(plain)[-1], rel=1e-5)
    first, second = (load(run).model.state_dict() for run in (plain, sharded))
    for name, weight in first.items():
        torch.testing.assert_close(second[name], weight, atol=1e-4, rtol=1e-3)
    # a run may go on without sharding: the checkpoint is whole
    words = [*train, "--steps", "30", "--resume", "--accumulate", "2"]
    done = command(*words, "--out", str(sharded))
    assert done.returncode == 0, done.stderr.decode()


def test_sharding_alone_is_refused(tmp_path: Path) -> None:
    done = command("train", *SMALL, "--shard", "--out", str(tmp_path / "run"))
    assert done.returncode == 1
    assert b"shard needs more than one process" in done.stderr
