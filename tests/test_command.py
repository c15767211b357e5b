"""The command as its users meet it: a process with files, standard input, mistakes and interruptions."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from .conftest import PROGRAM, SMALL, command

LINES = [
    "The dog sleeps.",
    "",
    "A",
    "   ",
    "The man sees the woman who gives the child an apple because it is red.",
    "\u2028 odd\u0085separators",
]


LONGER = ["train", *SMALL, "--P_drop", "0.2", "--train_steps", "120"]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nobody interrupted."""
    run = tmp_path_factory.mktemp("runs") / "whole"
    assert command(*LONGER, "--out", str(run)).returncode == 0
    return run


def sentence(done: subprocess.CompletedProcess[bytes]) -> str:
    """The one sentence on standard error of a command that failed."""
    text = done.stderr.decode()
    assert done.returncode not in (0, None)
    assert "Traceback" not in text
    assert (
        text.startswith("annotated-transformer: error: ")
        or text.count("annotated-transformer: error: ") == 1
    )
    return text[text.index("annotated-transformer: error: ") :].strip()


def test_translate_arguments_file_and_standard_input_agree(
    small_run: Path, tmp_path: Path
) -> None:
    text = tmp_path / "in.txt"
    text.write_text("".join(line + "\n" for line in LINES), encoding="utf-8")
    options = ["--extra", "3"]
    by_argument = command("translate", str(small_run), *options, "--", *LINES)
    by_file = command("translate", str(small_run), *options, "--input", str(text))
    by_stdin = command("translate", str(small_run), *options, stdin=text.read_bytes())
    out = tmp_path / "out.txt"
    to_file = command(
        "translate",
        str(small_run),
        *options,
        "--input",
        str(text),
        "--output",
        str(out),
    )
    assert (
        by_argument.returncode
        == by_file.returncode
        == by_stdin.returncode
        == to_file.returncode
        == 0
    ), by_file.stderr
    assert by_argument.stdout == by_file.stdout == by_stdin.stdout == out.read_bytes()
    rows = by_file.stdout.decode().split("\n")
    assert len(rows) == len(LINES) + 1
    assert rows[1] == rows[3] == ""


def test_many_lines_keep_count_and_order(small_run: Path) -> None:
    lines = [f"The {w} sleeps." for w in ("dog", "cat", "man")] * 70
    done = command(
        "translate",
        str(small_run),
        "--extra",
        "3",
        "--beam",
        "1",
        stdin="\n".join(lines).encode(),
    )
    rows = done.stdout.decode().split("\n")[:-1]
    assert len(rows) == 210
    assert rows == rows[:3] * 70


def test_a_reader_that_leaves(small_run: Path) -> None:
    translate = f"{shlex.join(PROGRAM)} translate {small_run} --beam 1 --extra 2"
    program = f"yes 'The dog sleeps.' | head -5000 | {translate} | head -1"
    done = subprocess.run(
        ["bash", "-c", program], capture_output=True, timeout=120, check=False
    )
    assert b"Traceback" not in done.stderr
    assert done.stdout.count(b"\n") == 1


def test_line_that_is_not_utf8(small_run: Path, tmp_path: Path) -> None:
    done = command(
        "translate", str(small_run), stdin="gut\nsch\xf6n\n".encode("latin1")
    )
    assert "standard input, line 2: not UTF-8" in sentence(done)
    text, out = tmp_path / "in.txt", tmp_path / "out.txt"
    text.write_bytes("gut\nsch\xf6n\n".encode("latin1"))
    assert "in.txt, line 2: not UTF-8" in sentence(
        command("translate", str(small_run), "--input", str(text), "--output", str(out))
    )
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.txt"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["translate", "RUN", "word " * 10_000], "line 1 has "),
        (["translate", "RUN", "A dog.", "--beam", "0"], "beam is 0"),
        (["translate", "RUN", "A dog.", "--alpha", "-1"], "alpha is -1"),
        (["translate", "RUN", "A dog.", "--n-best", "0"], "--n-best is 0"),
        (["translate", "RUN", "A dog.", "--n-best", "9"], "more than the beam of 4"),
        (
            ["translate", "RUN", "A dog.", "--sample", "--temperature", "0"],
            "temperature is 0.0; expected at least 0.000001",
        ),
        (
            ["translate", "RUN", "A dog.", "--sample", "--top-p", "2"],
            "top_p 2.0; expected",
        ),
        (["evaluate", "RUN", "--against", "no.de"], "no such file: no.de"),
        (["translate", "RUN", "A dog.", "--alpha", "nan"], "alpha is nan"),
        (["translate", "RUN", "A dog.", "--alpha", "10000"], "alpha is 10000"),
        (["translate", "RUN", "A dog.", "--device", "meta"], "holds no numbers"),
        (["translate", "RUN", "A dog.", "--input", "x"], "both sentences and --input"),
        (["translate", "RUN", b"sch\xf6n"], "sentence 1 is not UTF-8"),
        (
            ["evaluate", "RUN", "--data", "multi30k", "--pair", "en-nl"],
            "translates en-de, the test set is en-nl",
        ),
        (
            ["evaluate", "RUN", "--files", "a.de", "b.en"],
            "translates en-de, the test set is de-en",
        ),
        (
            ["evaluate", "RUN", "--results", os.devnull],
            "exists already and holds the results of `something else`",
        ),
        (["evaluate", "RUN", "--translations", os.devnull], "exists already"),
        (["train", "--steps", "9999"], "add --train_steps 9999"),
        (["train", "--seed", "-1"], "seed is -1; expected 0 or more"),
        (["train", "--patience", "0"], "--patience is 0; expected more than 0"),
        (
            ["train", "--batch_tokens", "1000", "--accumulate", "99"],
            "raise batch_tokens",
        ),
        (["train", "--precision", "fp16"], "fp16 needs a CUDA device"),
        (["train", "--recipe", "wmt14"], "did you mean 'wmt14-e"),
        (["train", "--dry-run", "--devices", "0"], "--devices is 0"),
        (["train", "--dry-run", "--utilization", "0"], "--utilization is 0"),
        (["train", "--dry-run", "--on", "H200"], "or give --capacity"),
        (["prepare", "--out", "x", "--data", "world", "--v", "0"], "--v is 0"),
        (["prepare", "--out", "x", "--files", "no.en", "no.de"], "no such file: no.en"),
        (["train", "--minutes", "nan"], "--minutes is nan; expected more than 0"),
        (
            ["translate", "RUN", "A dog.", "--device", "tpu"],
            "device 'tpu' can't be used",
        ),
        (["translate", "RUN", "--input", "missing.txt"], "no such file: missing.txt"),
        (["translate", "nowhere", "A dog."], "no model in nowhere"),
        (
            ["translate", "RUN", "Lamps \U0001f600.", "--strict"],
            "line 1: the vocabulary does not know",
        ),
        (
            ["translate", "RUN", "A dog.", "--beams", "2"],
            "unknown option '--beams'; did you mean '--beam'",
        ),
        (
            ["evaluate", "RUN", "--data", "world", "--split", "tset"],
            "unknown split 'tset'; did you mean 'test'",
        ),
        (
            ["evaluate", "RUN", "--data", "multi31k"],
            "unknown data 'multi31k'; did you mean 'multi30k'",
        ),
        (["train", "--preset", "bas"], "unknown preset 'bas'; did you mean 'base'"),
        (
            ["train", "--d_modle", "64"],
            "unknown option '--d_modle'; did you mean '--d_model'",
        ),
        (["train", "--h", "5"], "does not divide into h=5 heads"),
        (["train", "--minutes", "0"], "--minutes is 0.0; expected more than 0"),
        (
            ["train", "--data", "multi30k", "--pair", "en-nl"],
            "Multi30k has no pair en-nl",
        ),
        (["plot", "nowhere"], "no metrics in nowhere"),
        (["info", "big-en-de"], "did you mean 'big-en-fr'"),
        (["tarin"], "invalid choice: 'tarin'"),
    ],
)
def test_mistakes_get_one_sentence(
    words: list[str | bytes], expected: str, small_run: Path, tmp_path: Path
) -> None:
    run: dict[str | bytes, str] = {"RUN": str(small_run)}
    done = command(*[run.get(w, w) for w in words], cwd=tmp_path)
    assert expected in sentence(done)
    assert list(tmp_path.iterdir()) == []
    assert done.stdout == b""


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        (b"a dog\nb\nc\n", b"ein Hund\nb\n", "has 3 lines but"),
        (b"a\n\nc\n", b"a\nb\nc\n", "line 2: empty (1 such pairs)"),
        (b"a\nb\n", b"a\nsch\xf6n\n", "b.de, line 2: not UTF-8"),
        (b"a\n" + b"word " * 10_000 + b"\n", b"a\nb\n", "line 2: 10000 words long"),
        (b"a b\na c\nb c\n", b"d e\nd f\ne f\n", "larger than this corpus allows"),
        (b"a b c\n" * 5, b"d e f\n" * 5, "all training pairs are the same"),
        (b"", b"", "too few"),
    ],
)
def test_bad_training_files(
    source: bytes, target: bytes, expected: str, tmp_path: Path
) -> None:
    (tmp_path / "a.en").write_bytes(source)
    (tmp_path / "b.de").write_bytes(target)
    done = command("train", "--files", "a.en", "b.de", "--v", "5000", cwd=tmp_path)
    assert expected in sentence(done)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.en", "b.de"]


def test_any_two_text_files(tmp_path: Path) -> None:
    from annotated_transformer.world import world_pairs

    pairs = world_pairs(300, "train")
    (tmp_path / "mine.en").write_text(
        "".join(p.source + "\n" for p in pairs), encoding="utf-8"
    )
    (tmp_path / "mine.de").write_text(
        "".join(p.target + "\r\n" for p in pairs), encoding="utf-8"
    )
    small = [*SMALL[2:], "--steps", "20"]
    done = command(
        "train",
        "--files",
        "mine.en",
        "mine.de",
        "--preset",
        "demo",
        *small,
        "--out",
        "run",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr.decode()
    lines = done.stderr.replace(b"\r", b"\n").splitlines()
    assert 0 < sum(b"update=" in line for line in lines) < 10, lines  # not 20 and more
    scored = command(
        "evaluate",
        "run",
        "--files",
        "mine.en",
        "mine.de",
        "--beam",
        "1",
        "--extra",
        "1",
        "--json",
        cwd=tmp_path,
    )
    assert json.loads(scored.stdout)["sentences"] == 300


def test_evaluate_uses_the_corpus_of_the_run(small_run: Path, tmp_path: Path) -> None:
    scored = command(
        "evaluate", str(small_run), "--beam", "1", "--extra", "1", "--json"
    )
    found = json.loads(scored.stdout)
    assert (found["set"], found["sentences"]) == ("world test", 500)
    facts = found["training"]
    last = (small_run / "metrics.jsonl").read_text().splitlines()[-1]
    assert facts["updates"] == 30
    assert facts["target_tokens"] == json.loads(last)["tokens"]
    alone = shutil.copytree(small_run / "model", tmp_path / "model")
    done = command("evaluate", str(alone))
    assert "does not say which corpus" in sentence(done)


def test_prepared_data_trains_and_says_what_it_dropped(tmp_path: Path) -> None:
    from annotated_transformer.world import world_pairs

    pairs = [(p.source, p.target) for p in world_pairs(1500, "train")]
    for name, side in (("a.en", 0), ("a.de", 1)):
        lines = [pair[side] for pair in pairs] + ["", "one\x07two"]
        (tmp_path / name).write_text("".join(f"{x}\n" for x in lines), "utf-8")
    words = ["prepare", "--files", "a.en", "a.de", "--out", "data", "--v", "400"]
    done = command(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr.decode()
    assert b"train: 500 of 502 pairs kept" in done.stderr
    assert b"dropped 1: a control character; pair 502" in done.stderr
    small = ["--d_model", "32", "--N", "1", "--d_ff", "64", "--steps", "6"]
    train = ["train", "--data", "data", "--preset", "demo", *small, "--out", "run"]
    assert b"add --v 400" in command(*train, cwd=tmp_path).stderr
    assert command(*train, "--v", "400", cwd=tmp_path).returncode == 0
    assert b"holds en-de" in command(*train, "--pair", "de-en", cwd=tmp_path).stderr
    done = command("evaluate", "run", cwd=tmp_path)
    assert "does not say which corpus" in sentence(done)
    assert "exists already" in sentence(command(*words, cwd=tmp_path))


def test_a_preparation_goes_on_with_the_same_files_only(tmp_path: Path) -> None:
    for name in ("a.en", "a.de"):
        (tmp_path / name).write_text("".join(f"{i}\n" for i in range(1500)))
    words = ["prepare", "--files", "a.en", "a.de", "--out", "data", "--v", "40"]
    assert command(*words, cwd=tmp_path).returncode == 0
    os.replace(tmp_path / "data", tmp_path / "data.partial")
    (tmp_path / "a.en").write_text("".join(f"x{i}\n" for i in range(1500)))
    assert "other settings (source)" in sentence(command(*words, cwd=tmp_path))


def test_hub_data_of_the_same_schema(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="the extra [data]")
    assert datasets
    from annotated_transformer.pipeline import hub_pairs

    rows = [{"translation": {"en": f"a {i}", "de": f"ein {i}"}} for i in range(5)]
    (tmp_path / "train.json").write_text("\n".join(map(json.dumps, rows)))
    files = {"data_files": {"train": str(tmp_path / "train.json")}}
    pairs = hub_pairs("json", None, "train", ("en", "de"), **files)
    assert list(pairs) == [(f"a {i}", f"ein {i}") for i in range(5)]
    with pytest.raises(ValueError, match="has no pair en-fr"):
        list(hub_pairs("json", None, "train", ("en", "fr"), **files))


def test_early_stop_keeps_the_best(tmp_path: Path) -> None:
    stop = ["--patience", "1", "--watch", "BLEU", "--train_steps", "200"]
    done = command("train", *SMALL, *stop, "--out", str(tmp_path / "run"))
    assert done.returncode == 0, done.stderr.decode()
    lines = (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()
    bleu = [json.loads(line)["BLEU"] for line in lines if "BLEU" in line]
    assert len(bleu) < 20  # ended before the 200 updates
    assert bleu[-1] <= max(bleu[:-1])
    assert (tmp_path / "run" / "best" / "config.json").is_file()


def test_skipped_pairs_are_counted(small_run: Path, tmp_path: Path) -> None:
    (tmp_path / "a.en").write_text("The dog sleeps.\n\nThe cat sleeps.\n")
    (tmp_path / "b.de").write_text("Der Hund schläft.\nx\nDie Katze schläft.\n")
    files = ["--files", "a.en", "b.de", "--skip-bad-pairs"]
    done = command("evaluate", str(small_run), *files, "--extra", "1", cwd=tmp_path)
    assert done.returncode == 0
    assert b"left out 1 pairs: a.en, line 2: empty" in done.stderr


def test_a_resumed_run_is_newer_than_its_finished_model(tmp_path: Path) -> None:
    run = ["train", *SMALL, "--out", str(tmp_path / "run")]
    assert command(*run, "--steps", "10").returncode == 0
    assert command(*run, "--steps", "25", "--resume").returncode == 0
    assert (tmp_path / "run" / "latest").is_dir()
    shutil.rmtree(tmp_path / "run" / "model")  # as if stopped before the average
    done = command("info", str(tmp_path / "run"), "--json")
    assert json.loads(done.stdout)["folder"].endswith("latest")


def test_results_without_git(small_run: Path, tmp_path: Path) -> None:
    (tmp_path / "a.en").write_text("The dog sleeps.\n")
    (tmp_path / "b.de").write_text("Der Hund schläft.\n", encoding="utf-8")
    results = tmp_path / "r.json"
    files = ["--files", str(tmp_path / "a.en"), str(tmp_path / "b.de")]
    words = [*files, "--extra", "1", "--results", str(results)]
    env = os.environ | {"PATH": ""}
    for _ in range(2):  # the same command may write its results again
        done = command("evaluate", str(small_run), *words, env=env)
        assert done.returncode == 0, done.stderr.decode()
    assert json.loads(results.read_text())["commit"] is None


def test_no_network_names_url_reason_and_remedy(tmp_path: Path) -> None:
    env = {k: v for k, v in os.environ.items() if k != "ANNOTATED_TRANSFORMER_DATA"}
    env |= {"XDG_CACHE_HOME": str(tmp_path), "https_proxy": "http://127.0.0.1:9"}
    done = command("train", "--data", "multi30k", cwd=tmp_path, env=env)
    message = sentence(done)
    for part in (
        "https://raw.githubusercontent.com/multi30k/",
        "refused",
        "ANNOTATED_TRANSFORMER_DATA",
        "--data world",
    ):
        assert part in message


def test_wrong_checksum_is_refused(tmp_path: Path) -> None:
    (tmp_path / "multi30k").mkdir()
    (tmp_path / "multi30k" / "train.en.gz").write_bytes(b"something else")
    done = command(
        "train",
        "--data",
        "multi30k",
        cwd=tmp_path,
        env=os.environ | {"ANNOTATED_TRANSFORMER_DATA": str(tmp_path)},
    )
    assert "train.en.gz has SHA-256" in sentence(done)


def test_existing_run_and_resume(small_run: Path, tmp_path: Path) -> None:
    again = command("train", *SMALL, "--steps", "30", "--out", str(small_run))
    assert "exists and is not empty; continue it with --resume" in sentence(again)
    other = command(
        "train",
        *SMALL,
        "--steps",
        "40",
        "--seed",
        "1",
        "--resume",
        "--out",
        str(small_run),
    )
    assert "was started with seed = 0, not 1" in sentence(other)


def test_a_checkpoint_with_another_tokenizer(small_run: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(small_run / "model", tmp_path / "model")
    (copy / "tokenizer.model").write_bytes(
        (copy / "tokenizer.model").read_bytes() + b"\0"
    )
    assert "tokenizer.model does not belong to this model" in sentence(
        command("translate", str(copy), "A dog.")
    )


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX permissions")
def test_no_write_permission(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    # root may write everywhere but here
    out = (
        "/proc/annotated-transformer/run" if os.geteuid() == 0 else str(closed / "run")
    )
    done = command("train", *SMALL, "--steps", "10", "--out", out)
    assert out.rsplit("/", 1)[0] in sentence(done)


def test_output_file_is_never_overwritten(small_run: Path, tmp_path: Path) -> None:
    out = tmp_path / "mine.txt"
    out.write_text("mine")
    assert "exists already" in sentence(
        command("translate", str(small_run), "A dog.", "--output", str(out))
    )
    assert out.read_text() == "mine"


@pytest.mark.skipif(
    os.name == "nt", reason="Windows has no SIGTERM that a process can hear"
)
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_interrupted_training_resumes_to_the_same_weights(
    how: signal.Signals, undisturbed: Path, tmp_path: Path
) -> None:
    train, whole, cut = LONGER, undisturbed, tmp_path / "cut"
    with subprocess.Popen(
        [*PROGRAM, *train, "--out", str(cut)], stderr=subprocess.PIPE
    ) as process:
        while not list(cut.glob("checkpoints/step-???????")) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(how)
        assert process.stderr is not None
        error = process.stderr.read().decode()
    assert "Traceback" not in error
    assert process.returncode == (-9 if how == signal.SIGKILL else 130)
    assert command(*train, "--out", str(cut), "--resume").returncode == 0
    for name in ("weights.safetensors", "tokenizer.model"):
        assert (whole / "model" / name).read_bytes() == (
            cut / "model" / name
        ).read_bytes()


def test_help_and_version() -> None:
    for words in (
        ["--help"],
        ["train", "--help"],
        ["translate", "--help"],
        ["--version"],
    ):
        done = command(*words)
        assert done.returncode == 0
        assert done.stdout.strip()


def test_several_and_random_outputs(small_run: Path) -> None:
    lines = b"The dog sleeps.\n\nThe man sees the house.\n"
    words = ["translate", str(small_run), "--extra", "5"]
    best = command(*words, stdin=lines).stdout.decode().splitlines()
    several = command(*words, "--n-best", "3", stdin=lines).stdout.decode().splitlines()
    fields = [line.split(" ||| ") for line in several]
    assert [number for number, _, _ in fields] == ["1"] * 3 + ["3"] * 3
    assert [fields[0][1], fields[3][1]] == [best[0], best[2]]
    scores = [float(score) for _, _, score in fields]
    assert scores[:3] == sorted(scores[:3], reverse=True)
    drawn = [
        command(*words, "--sample", "--seed", seed, stdin=lines).stdout
        for seed in ("1", "1", "2")
    ]
    assert drawn[0] == drawn[1] != drawn[2]
    assert [d.count(b"\n") for d in drawn] == [3, 3, 3]


def test_scores_of_two_systems_and_table_2(small_run: Path, tmp_path: Path) -> None:
    pytest.importorskip("sacremoses", reason="an optional extra")
    other, results = tmp_path / "other.de", tmp_path / "r" / "small.json"
    words = ["evaluate", str(small_run), "--split", "valid", "--beam", "1"]
    done = command(*words, "--translations", str(other), "--results", str(results))
    assert done.returncode == 0, done.stderr.decode()
    done = command(*words, "--all-scores", "--against", str(other), "--json")
    found = json.loads(done.stdout)
    assert {"TER", "BLEU as in the paper", "BLEU tokenized, lower-cased"} <= set(found)
    assert found["p by luck"] == 1.0  # the same translations
    other.write_text("one line\n")
    error = sentence(command(*words, "--against", str(other)))
    assert "has 1 lines, the test set" in error
    record = json.loads(results.read_text(encoding="utf-8")) | {"set": "world test"}
    results.with_name("test.json").write_text(json.dumps(record), encoding="utf-8")
    table = command("table2", "--folder", str(results.parent)).stdout.decode()
    assert "| Transformer (big) | 28.4 | 41.8 | 2.3·10¹⁹ | 2.3·10¹⁹ |" in table
    assert "| world en-de | world test |" in table
    assert "world valid" not in table  # runs are chosen by it


TOY = "( (S (NP-SBJ (DT the) (NN {})) (VP (VBZ {})) (. .)) )\n"
PARSER = [
    "--N",
    "1",
    "--d_model",
    "16",
    "--h",
    "2",
    "--d_ff",
    "32",
    "--v",
    "40",
    "--batch_tokens",
    "200",
]


def test_a_parser_is_trained_scored_and_resumed(tmp_path: Path) -> None:
    bank = tmp_path / "bank"
    bank.mkdir()
    nouns = ["cat", "dog", "cow", "fox", "hen", "owl", "pig", "rat", "bee", "ant"]
    for i, noun in enumerate(nouns):
        verbs = ("sleeps", "runs", "sings")
        text = "".join(TOY.format(noun, verb) for verb in verbs)
        (bank / f"{i}.mrg").write_bytes(text.replace("\n", "\r\n").encode())
    run, results = tmp_path / "run", tmp_path / "parsing-toy.json"
    words = ["table4", "--treebank", str(bank), "--out", str(run), *PARSER]
    first = command(*words, "--train_steps", "20")
    assert first.returncode == 0, first.stderr.decode()
    done = command(*words, "--train_steps", "40", "--results", str(results))
    assert done.returncode == 0, done.stderr.decode()
    found = json.loads(results.read_text())
    assert (found["sentences"], found["training"]["updates"]) == (3, 40)
    assert "| bank, test | 0 | 21 |" in done.stdout.decode()
    (bank / "0.mrg").write_text("(S (NP (NN cat))")
    error = sentence(command(*words))
    assert "0.mrg: 1 brackets are still open at the end" in error
    assert "no such folder" in sentence(command("table4", "--treebank", "nowhere"))


def test_tables_1_and_3(tmp_path: Path) -> None:
    assert "| recurrent | n·d² | n^1.00 d^2.00 |" in command("table1").stdout.decode()
    unknown = command(
        "table3", "--rows", "A-h33", "--results", str(tmp_path / "t.json")
    )
    assert "unknown row 'A-h33'; did you mean 'A-h32'?" in sentence(unknown)
    shown = command("table3", cwd=tmp_path).stdout.decode()
    assert "| A-h1 | 5.29 |" in shown


def test_plot_and_info(small_run: Path, tmp_path: Path) -> None:
    assert (
        command("plot", str(small_run), "--output", str(tmp_path / "c.png")).returncode
        == 0
    )
    assert (tmp_path / "c.png").read_bytes()[:4] == b"\x89PNG"
    assert (
        json.loads(command("info", "base", "--json").stdout)["parameters"] == 63_045_632
    )
    assert json.loads(command("info", str(small_run), "--json").stdout)["d_model"] == 32
    assert b"multi30k" in command("info").stdout
    named = json.loads(command("info", "world-en-de", "--json").stdout)
    assert (named["languages"], named["d_model"]) == ("en-de", 128)
    lines = command("info", "base", "--batch", "25000").stdout.decode()
    assert "kept for the backward pass" in lines
    assert "25,000 a side, in 1 pieces" in lines
