"""The loop that the studies share: what is done is kept, and done once."""

import itertools
import json
import sys
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from annotated_transformer.config import preset
from annotated_transformer.data import Corpus

from .conftest import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

import heads as heads_study  # type: ignore[import-not-found]  # noqa: E402
import multi30k as final  # type: ignore[import-not-found]  # noqa: E402
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


def test_a_final_model_is_scored_once_and_only_when_it_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = {"data": "d", "seed": 0, "hyperparameters": {"train_steps": 5}, "start": "s"}
    run, asked = tmp_path / "multi30k-en-de-seed0", []
    run.mkdir()
    (run / "run.json").write_text(json.dumps(own))

    def command(*words: object) -> None:
        asked.append(words)
        search = {"beam": final.SEARCH[1], "alpha": final.SEARCH[3]}
        results = {"training": own | {"updates": 5}, "decoding": search}
        Path(str(words[-1])).write_text(json.dumps(results))

    monkeypatch.setattr(final, "annotated_transformer", command)
    sets = ("test_2016_flickr", "test_2017_flickr")
    with pytest.raises(SystemExit, match="is not trained to its end"):
        final.evaluate("en-de", run, tmp_path, sets)
    assert not asked
    (run / "model").mkdir()
    for _ in range(2):
        final.evaluate("en-de", run, tmp_path, sets)
    assert [words[1] for words in asked] == [run / "model"] * 2
    monkeypatch.setattr(final, "SEARCH", ("--beam", 8, "--alpha", 2.0))
    with pytest.raises(SystemExit, match="is of another search"):
        final.evaluate("en-de", run, tmp_path, sets)
    (run / "run.json").write_text(json.dumps(own | {"start": "other"}))
    with pytest.raises(SystemExit, match="is of a run with another start"):
        final.evaluate("en-de", run, tmp_path, sets)
    assert len(asked) == 2


def test_a_final_model_waits_for_its_whole_corpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["multi30k.py", "--seeds", "0", "--runs", str(tmp_path), "--only", "final"]
    monkeypatch.setattr(sys, "argv", [*words, "--results", str(tmp_path)])
    with pytest.raises(SystemExit, match="de-seed0-first is not complete; do 'first'"):
        final.main()


def test_translations_are_made_once_and_their_time_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, asked = [tmp_path / name for name in ("one", "two", "last")], []
    for number, run in enumerate(runs):
        (run / "model").mkdir(parents=True)
        (run / "model" / "weights.safetensors").write_text(run.name)
        line = {"step": 5, "tokens": 50, "seconds": 10.0 + number, "loss": 1.0}
        (run / "metrics.jsonl").write_text(f"{{}}\n{json.dumps(line)}\n")

    def command(*words: object) -> None:
        asked.append(words)
        sources = Path(str(words[words.index("--input") + 1])).read_text()
        Path(str(words[words.index("--output") + 1])).write_text(sources.upper())

    def corpus(source: str, target: str) -> Corpus:
        pairs = [("a dog", "ein Hund"), ("a cat", "eine Katze")]
        pairs = pairs if source == "en" else [(t, s) for s, t in pairs]
        return Corpus("multi30k", (source, target), pairs, pairs[:1], [])

    monkeypatch.setattr(final, "annotated_transformer", command)
    monkeypatch.setattr(final, "multi30k", corpus)
    for _ in range(2):
        final.translate("en-de", runs[0])
        final.translate("de-en", runs[1])
    assert [words[1] for words in asked] == [run / "model" for run in runs[:2]]
    assert final.made_by(runs[1]).read_text() == "EIN HUND\nEINE KATZE\n"
    folder = tmp_path / "data"
    for _ in range(2):
        final.write_corpus("en-de", runs[0], runs[1], folder)
    english, german = (
        (folder / f"train.{x}").read_text().splitlines() for x in ("en", "de")
    )
    assert list(zip(english, german, strict=True))[::2] == [
        ("a dog", "ein Hund"),
        ("a dog", "A DOG"),
        ("EIN HUND", "ein Hund"),
    ]
    (runs[1] / "model" / "weights.safetensors").write_text("others")
    final.translate("de-en", runs[1])
    (runs[0] / "model" / "weights.safetensors").write_text("others")
    final.made_by(runs[0]).write_text("OTHERS\n")
    with pytest.raises(SystemExit, match="was made of other translations"):
        final.write_corpus("en-de", runs[0], runs[1], folder)
    for run, seconds in zip(runs, (4.5, 3.0), strict=False):
        final.seconds_of(final.made_by(run)).write_text(f"{seconds}\n")
    path = tmp_path / "cost.json"
    for _ in range(2):
        final.cost(runs[:2], runs[2], path)
    results = json.loads(path.read_text())
    assert results["stages"]["last"]["seconds"] == 12.0
    assert results["core seconds"] == 10 + 4.5 + 11 + 3 + 12
    assert results["seconds"] == 14.5 + 12
    with (runs[0] / "metrics.jsonl").open("a") as file:
        file.write(json.dumps({"step": 6, "tokens": 60, "seconds": 20.0}))
    with pytest.raises(SystemExit, match="is of other runs"):
        final.cost(runs[:2], runs[2], path)
    (runs[2] / "model").rename(runs[2] / "latest")
    with pytest.raises(SystemExit, match="last is not trained to its end"):
        final.cost(runs[:2], runs[2], path)


def test_the_whole_pipeline_gives_each_model_its_own_languages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fake commands that leave what the real ones would; then what each of them was given."""
    pairs, asked = [("a dog", "ein Hund"), ("a cat", "eine Katze")], []

    def corpus(source: str, target: str) -> Corpus:
        own = pairs if source == "en" else [(t, s) for s, t in pairs]
        return Corpus("multi30k", (source, target), own, own[:1], [])

    def command(*words: object) -> None:
        asked.append(" ".join(str(w).replace(f"{tmp_path}/", "") for w in words))
        given = dict(itertools.pairwise(words))
        if words[0] == "train":
            run = Path(str(given["--out"]))
            (run / "model").mkdir(parents=True)
            (run / "model" / "weights.safetensors").write_text(run.name)
            line = {"step": int(str(given["--train_steps"])), "tokens": 1, "seconds": 1}
            (run / "metrics.jsonl").write_text(json.dumps(line))
            changes = final.FINAL if "--start" in words else final.FIRST
            own = {"seed": given["--seed"], "start": None, "data": "d"}
            own["hyperparameters"] = asdict(preset("multi30k-full", **changes))
            if "--start" in words:
                own["start"] = f"hash of {given['--start']}"
            (run / "run.json").write_text(json.dumps(own))
        elif words[0] == "translate":
            lines = Path(str(given["--input"])).read_text().splitlines()
            tag = "DE" if "en-de" in str(words[1]) else "EN"
            made = "".join(f"{tag}({line})\n" for line in lines)
            Path(str(given["--output"])).write_text(made)
        else:
            own = json.loads((Path(str(words[1])).parent / "run.json").read_text())
            own["updates"] = own["hyperparameters"]["train_steps"]
            search = dict(zip(("beam", "alpha"), final.SEARCH[1::2], strict=True))
            results = {"training": own, "decoding": search}
            Path(str(given["--results"])).write_text(json.dumps(results))

    monkeypatch.setattr(final, "annotated_transformer", command)
    monkeypatch.setattr(final, "multi30k", corpus)
    monkeypatch.setattr(final, "load", str)
    monkeypatch.setattr(final, "weights_hash", lambda model: f"hash of {model}")
    words = ["multi30k.py", "--seeds", "0", "--runs", str(tmp_path)]
    for pair in ("en-de", "de-en"):
        more = ["--pair", pair, "--results", str(tmp_path / "results")]
        monkeypatch.setattr(sys, "argv", [*words, *more])
        for _ in range(2):
            final.main()
    verbs = [line.split()[0] for line in asked]
    assert [verbs.count(v) for v in ("train", "translate", "evaluate")] == [4, 2, 10]
    assert "--data multi30k --pair de-en" in asked[2]
    data = {
        pair: [
            (tmp_path / f"multi30k-{pair}-seed0-data/multi30k-diversified/train.{x}")
            .read_text()
            .splitlines()
            for x in pair.split("-")
        ]
        for pair in ("en-de", "de-en")
    }
    en_de, de_en = (list(zip(*data[p], strict=True)) for p in ("en-de", "de-en"))
    assert en_de[::2] == [
        ("a dog", "ein Hund"),
        ("a dog", "DE(a dog)"),
        ("EN(ein Hund)", "ein Hund"),
    ]
    assert sorted(de_en) == sorted((t, s) for s, t in en_de)
    for pair in ("en-de", "de-en"):
        line = next(a for a in asked if f"--out multi30k-{pair}-seed0 " in f"{a} ")
        assert f"--start multi30k-{pair}-seed0-first/model" in line
    monkeypatch.setitem(final.FINAL, "peak_rate", 0.5)
    with pytest.raises(SystemExit, match="de-en-seed0 is of another hyperparameters"):
        final.main()


def test_shares_from_pronouns_are_those_of_the_right_sentence_and_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A head that looks at the word after the next one, over two batches; one sentence in 40 has a pronoun."""
    with_pronoun, without = "a man sees her big dog .", "dogs run ."
    pairs = [(with_pronoun if i % 40 == 39 else without, "x") for i in range(120)]

    class Words:
        def encode(self, lines: list[str]) -> list[list[str]]:
            return [[f"▁{word}" for word in line.split()] for line in lines]

        def pieces(self, ids: list[str]) -> list[str]:
            return ids

    def all_weights(model: Any, pairs: Any, rows: int) -> Any:
        for start in range(0, len(pairs), rows):
            sizes = [len(s.split()) + 1 for s, _ in pairs[start : start + rows]]
            w = torch.zeros(len(sizes), 1, 9, 9)
            for i in range(9):
                w[:, 0, i, min(i + 2, 8)] = 1.0
            yield ("encoder", 0), w, [(n, n) for n in sizes]

    monkeypatch.setattr(heads_study, "all_weights", all_weights)
    model = SimpleNamespace(tokenizer=Words())
    found = heads_study.pronouns(model, pairs)
    assert found["cases"] == 3
    assert found["to the noun"] == {"1.1": 0.0, "even": 0.125}
    assert found["to the next word"]["1.1"] == 0.0
    monkeypatch.setattr(heads_study, "PEOPLE", {"man", "sees"})
    assert heads_study.pronoun_and_noun(with_pronoun.split()) is None  # two nouns
    ends = ["a", "man", "sits", "by", "her", ".", "</s>"]
    monkeypatch.setattr(heads_study, "PEOPLE", {"man"})
    assert heads_study.pronoun_and_noun(ends) is None
    assert heads_study.pronoun_and_noun(["A", "man", "and", "His", "dog"]) == (3, 1)
