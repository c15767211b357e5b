"""Every notebook with the rules of `nbdev_test`, one test each, so that the run counts them."""

import json
import os
import re
from pathlib import Path

import pytest
from nbdev.config import get_config
from nbdev.doclinks import nbglob
from nbdev.test import test_nb as run_notebook

CONFIG = get_config()
NOTEBOOKS = sorted(Path(p).resolve() for p in nbglob(CONFIG.nbs_path))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[p.stem for p in NOTEBOOKS])
def test_notebook(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    passed, _ = run_notebook(
        path,
        skip_flags=CONFIG.tst_flags.split(),
        force_flags=os.environ.get("NB_FLAGS", "").split(),
        basepath=CONFIG.config_path,
    )
    assert passed, capfd.readouterr().err[-4000:]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[p.stem for p in NOTEBOOKS])
def test_cells_keep_the_house_rules(path: Path) -> None:
    """One idea a cell (word lists aside, the longest is the parser), under 300 KB, figures described."""
    nb = json.loads(path.read_text(encoding="utf-8"))
    assert path.stat().st_size < 300_000
    for cell in nb["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code":
            continue
        if source.startswith("#| export"):
            body = source[: source.index('"""')] if '= """' in source else source
            assert body.count("\n") <= 85, f"{cell['id']}: {body.count(chr(10))} lines"
        if any(
            "image/png" in o.get("data", {}) or "image/svg+xml" in o.get("data", {})
            for o in cell["outputs"]
        ):
            assert "fig-alt:" in source, (
                f"{cell['id']}: a figure without alternative text"
            )


def test_excerpts_are_the_papers_own_words() -> None:
    """Every excerpt callout names section and version."""
    count = 0
    for path in NOTEBOOKS:
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            source = "".join(cell["source"])
            for head in [
                line
                for line in source.splitlines()
                if ".excerpt" in line and line.startswith(":::")
            ]:
                assert re.search(r"Vaswani et al. \(2017\), (section|Figure)", head), (
                    head
                )
                assert "arXiv v7" in head, head
                count += 1
    assert count >= 20
