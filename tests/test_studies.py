"""The loop that the studies share: what is done is kept, and done once."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from .conftest import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

from study import do_missing, parser  # type: ignore[import-not-found]  # noqa: E402

SETTINGS = {"config": {"N": 2}, "steps": 3}


def rows_of(path: Path) -> list[tuple[str, int]]:
    runs = json.loads(path.read_text(encoding="utf-8"))["runs"]
    return [(run["row"], run["seed"]) for run in runs]


def test_runs_are_added_one_by_one_and_not_repeated(tmp_path: Path) -> None:
    path, called = tmp_path / "new" / "study.json", []
    words = ["--results", str(path), "--seeds", "0", "1"]
    args = parser(__doc__, "study").parse_args(words)

    def run(row: str, seed: int) -> dict[str, Any]:
        called.append((row, seed))
        if len(called) == 3:
            raise KeyboardInterrupt
        return {"row": "its own name", "seed": -1, "loss": 1.5}

    with pytest.raises(KeyboardInterrupt):
        do_missing(args, ["a", "b"], SETTINGS, run)
    assert rows_of(path) == [("a", 0), ("b", 0)]
    do_missing(args, ["a", "b"], SETTINGS, run)
    assert rows_of(path) == [("a", 0), ("a", 1), ("b", 0), ("b", 1)]
    assert called == [("a", 0), ("b", 0), ("a", 1), ("a", 1), ("b", 1)]
    for one in json.loads(path.read_text(encoding="utf-8"))["runs"]:
        assert {"date", "commit", "threads"} <= one.keys()
    other = SETTINGS | {"steps": 4}
    with pytest.raises(ValueError, match="runs with steps = 3, not 4"):
        do_missing(args, ["a", "b"], other, run)


def test_what_another_process_has_done_meanwhile_is_not_done_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    args = parser(__doc__, "study").parse_args(
        ["--results", str(tmp_path / "study.json"), "--seeds", "0"]
    )
    inner: list[str] = []

    def run(row: str, seed: int) -> dict[str, Any]:
        if not inner:  # the other process does all rows but this one
            inner.append(row)
            do_missing(args, ["b", "c"], SETTINGS, run, ["a", "b", "c"])
        return {"loss": 1.0}

    do_missing(args, ["a", "b", "c"], SETTINGS, run)
    assert rows_of(tmp_path / "study.json") == [("a", 0), ("b", 0), ("c", 0)]
    said = capsys.readouterr().out
    assert said.count("another process has done it") == 2


def test_a_wrong_part_is_refused_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser(__doc__, "study").parse_args(["--part", "3/2"])
    assert "--part is '3/2'; expected for instance 1/2" in capsys.readouterr().err
