"""What must be in step: exported modules, clean notebooks, README, lint, types, wheel, site."""

import ast
import filecmp
import json
import os
import re
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path

import pytest

from annotated_transformer.checkpoints import MODELS, load
from annotated_transformer.data import file_hash

from .conftest import ROOT

sys.path.insert(0, str(ROOT / "tools"))
from model_card import card  # noqa: E402

PACKAGE = ROOT / "annotated_transformer"


def run(*words: str, cwd: Path = ROOT, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | env,
    )


def tool(name: str) -> str:
    return str(Path(sys.executable).with_name(name))


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what the repository's tools read and write."""
    dest = tmp_path_factory.mktemp("copy") / "tree"
    skip = shutil.ignore_patterns(
        ".git",
        ".venv",
        "_proc",
        "_docs",
        "runs",
        "demo",
        "demo-[0-9]*",
        "*.egg-info",
        ".*_cache",
        "__pycache__",
        "build",
        "dist",
    )
    shutil.copytree(ROOT, dest, symlinks=True, ignore=skip)
    return dest


def test_exported_modules_are_in_sync(copy: Path) -> None:
    before = {
        p.name: p.read_bytes() for p in (copy / "annotated_transformer").glob("*.py")
    }
    assert run(tool("nbdev_export"), cwd=copy).returncode == 0
    after = {
        p.name: p.read_bytes() for p in (copy / "annotated_transformer").glob("*.py")
    }
    assert {
        n for n in before.keys() | after.keys() if before.get(n) != after.get(n)
    } == set(), "run nbdev_export"


def test_notebooks_are_clean(copy: Path) -> None:
    assert run(tool("nbdev_clean"), cwd=copy).returncode == 0
    dirty = [
        p.name
        for p in (ROOT / "nbs").glob("*.ipynb")
        if not filecmp.cmp(p, copy / "nbs" / p.name, shallow=False)
    ]
    assert dirty == [], "run nbdev_clean"


def test_readme_is_in_sync() -> None:
    done = run(sys.executable, "tools/readme.py", "--check")
    assert done.returncode == 0, done.stderr


def test_chapter_lines_are_in_sync() -> None:
    done = run(sys.executable, "tools/chapter_lines.py", "--check")
    assert done.returncode == 0, done.stderr


def test_answers_stay_folded() -> None:
    """A folded solution does not give its result away below the fold."""
    seen = [
        (path.name, "".join(cell["source"]))
        for path in (ROOT / "nbs").glob("*.ipynb")
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
        if re.search(
            r'^#\| code-summary: "(Check|Solution)"', "".join(cell["source"]), re.M
        )
    ]
    assert len(seen) > 50
    assert [name for name, source in seen if "#| output: false" not in source] == []


def test_api_page_is_in_sync() -> None:
    from annotated_transformer.reference import api_page

    nb = json.loads((ROOT / "nbs" / "93_api.ipynb").read_text(encoding="utf-8"))
    outputs = [o for c in nb["cells"] for o in c.get("outputs", [])]
    stored = [
        "".join(o["data"]["text/markdown"])
        for o in outputs
        if "text/markdown" in o.get("data", {})
    ]
    assert stored == [api_page()], (
        "run `python tools/run_notebooks.py nbs/93_api.ipynb`"
    )


def test_results_say_where_they_come_from() -> None:
    listed = (ROOT / "results" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.*?) \|", listed, re.M)
    names = {name for row in rows for name in re.findall(r"`([^`]+)`", row)}
    for path in sorted((ROOT / "results").rglob("*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        missing = {"command", "commit", "versions", "hardware", "date"} - found.keys()
        assert not missing, f"{path.name} does not say: {', '.join(sorted(missing))}"
        name = path.relative_to(ROOT / "results").as_posix()
        patterns = [n.replace("-*", "-.*") for n in names] + [r".*-seed[12]\.json"]
        patterns += [r"training-speed-base\.json"]
        assert any(re.fullmatch(n, name) for n in patterns), f"{name} is not listed"


def test_models_load_and_their_cards_are_in_sync() -> None:
    """Each folder of models/ is a model that the code knows; its card says what the results files say."""
    names = sorted(p.name for p in (ROOT / "models").iterdir() if p.is_dir())
    assert names == sorted(MODELS)
    for name in names:
        folder = ROOT / "models" / name
        assert (folder / "README.md").read_text(encoding="utf-8") == card(name)
        assert file_hash(folder / "config.json") == MODELS[name]
        assert sum(p.stat().st_size for p in folder.iterdir()) <= 8e6
        assert "-".join(load(name).languages) in name
        heads = ROOT / "results" / "heads" / f"{name}.json"
        if heads.exists():  # measured on this very model
            found = json.loads(heads.read_text(encoding="utf-8"))
            assert found["config"] == MODELS[name]


def test_ruff() -> None:
    done = run(tool("ruff"), "check", ".")
    assert done.returncode == 0, done.stdout


def test_types() -> None:
    done = run(tool("mypy"))
    assert done.returncode == 0, done.stdout


def test_modules_are_short_and_2017_does_not_know_its_successors() -> None:
    for path in PACKAGE.glob("*.py"):
        if path.name != "_modidx.py":
            text = path.read_text(encoding="utf-8")
            assert text.count("\n") <= 440, path.name
            imports = [
                n.module or ""
                for n in ast.walk(ast.parse(text))
                if isinstance(n, ast.ImportFrom)
            ]
            assert not any("modern" in name for name in imports), path.name


def test_wheel(copy: Path, tmp_path: Path) -> None:
    """The wheel installs into an environment that has its dependencies and nothing of this repository."""
    done = run(
        sys.executable, "-m", "build", "--wheel", "--outdir", str(tmp_path), cwd=copy
    )
    assert done.returncode == 0, done.stdout + done.stderr
    wheel = next(tmp_path.glob("*.whl"))
    venv.create(tmp_path / "env", with_pip=True)
    python = next(
        p
        for p in (tmp_path / "env/bin/python", tmp_path / "env/Scripts/python.exe")
        if p.exists()
    )
    done = run(
        str(python),
        "-m",
        "pip",
        "install",
        "-q",
        "--disable-pip-version-check",
        "-c",
        str(ROOT / "constraints.txt"),
        str(wheel),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    code = "import annotated_transformer as a; from annotated_transformer import transformer, cli; print(a.__file__)"
    done = run(str(python), "-c", code, cwd=tmp_path, PYTHONPATH="")
    assert done.returncode == 0, done.stderr
    assert str(tmp_path) in done.stdout
    done = run(
        str(python), "-m", "pip", "check", "--disable-pip-version-check", cwd=tmp_path
    )
    assert done.returncode == 0, done.stdout
    installed = run(
        str(python),
        "-m",
        "pip",
        "list",
        "--format=freeze",
        "--disable-pip-version-check",
    ).stdout.lower()
    assert "nbdev" not in installed
    assert "jupyter" not in installed


def test_import_and_help_are_quick() -> None:
    """Importing the package and `--help` cost at most 1.3 times `import torch`; in fact they load no torch at all."""

    def seconds(code: str) -> float:
        times = []
        for _ in range(3):
            started = time.perf_counter()
            assert run(sys.executable, "-c", code).returncode == 0
            times.append(time.perf_counter() - started)
        return min(times)

    torch = seconds("import torch")
    assert seconds("import annotated_transformer") < 1.3 * torch
    assert (
        seconds(
            "from annotated_transformer.cli import build_parser; build_parser().format_help()"
        )
        < 1.3 * torch
    )
    done = run(
        sys.executable,
        "-c",
        "import sys, annotated_transformer.cli as c; c.build_parser(); print({'torch', 'matplotlib'} & {*sys.modules})",
    )
    assert done.stdout.split() == ["set()"]
