"""The line below each chapter's title: its place in the course, reading time, Colab, source.

python tools/chapter_lines.py [--check]

The line is a Markdown cell with the id `chapter-line`, so that it is seen on the site, on GitHub and in Jupyter.
The order is that of the sidebar in _quarto.yml; the time counts 200 words and 25 lines of shown code a minute.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
REPOSITORY = "annotated-transformer/annotated_transformer/blob/main/nbs"
ID = "chapter-line"


def chapters(entries: Any) -> list[str]:
    """The notebooks of a sidebar in reading order."""
    if isinstance(entries, str):
        return [entries]
    if isinstance(entries, dict):
        return chapters(entries.get("href") or entries.get("contents") or [])
    return [name for entry in entries for name in chapters(entry)]


def minutes(nb: dict[str, Any]) -> int:
    """Reading time of a notebook's text and of the code that its page shows."""
    words = lines = 0
    for cell in nb["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown" and cell["id"] != ID:
            words += len(text.split())
        elif cell["cell_type"] == "code" and not re.search(
            r"^#\| *(hide|export|echo: *false|code-fold: *true|default_exp.*)$",
            text,
            re.M,
        ):
            lines += text.count("\n") + 1
    return max(1, round(words / 200 + lines / 25))


def chapter_line(name: str, place: int, total: int, time: int) -> str:
    """The cell's text."""
    links = f"[Open in Colab](https://colab.research.google.com/github/{REPOSITORY}/{name}) · [Source](https://github.com/{REPOSITORY}/{name})"
    return f"Chapter {place} of {total} · {time} min to read · {links}"


def with_line(nb: dict[str, Any], text: str) -> dict[str, Any]:
    """The notebook with that line as its second cell."""
    cells = [c for c in nb["cells"] if c["id"] != ID]
    cell = {
        "cell_type": "markdown",
        "id": ID,
        "metadata": {},
        "source": text.splitlines(keepends=True),
    }
    return nb | {"cells": [cells[0], cell, *cells[1:]]}


def main() -> None:
    config = yaml.safe_load((ROOT / "_quarto.yml").read_text(encoding="utf-8"))
    names = [
        n
        for n in chapters(config["website"]["sidebar"]["contents"])
        if n != "index.ipynb"
    ]
    stale = []
    for place, name in enumerate(names, 1):
        path = ROOT / "nbs" / name
        before = path.read_text(encoding="utf-8")
        nb = json.loads(before)
        line = chapter_line(name, place, len(names), minutes(nb))
        after = (
            json.dumps(
                with_line(nb, line), indent=1, ensure_ascii=False, sort_keys=True
            )
            + "\n"
        )
        if after == before:
            continue
        stale.append(name)
        if "--check" not in sys.argv:
            path.write_text(after, encoding="utf-8")
    if "--check" in sys.argv and stale:
        sys.exit(
            f"stale lines in {', '.join(stale)}: run `python tools/chapter_lines.py`"
        )


if __name__ == "__main__":
    main()
