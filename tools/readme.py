"""README.md from nbs/index.ipynb without Quarto: nbdev's processing, then pandoc's GitHub writer.

python tools/readme.py [--check]
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FORMAT = "gfm-raw_html+raw_html+tex_math_dollars"


def cell_markdown(cell: dict[str, Any]) -> str:
    """One cell as Markdown: text as it is, code as a block, outputs that are text below it."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "raw":
        title = re.search(r"^title: (.*)$", source, re.M)
        return f"# {title[1].strip(chr(39) + chr(34))}" if title else ""
    if cell["cell_type"] == "markdown":
        return source
    options = dict(re.findall(r"^#\| *([\w-]+): *(.*)$", source, re.M))
    code = re.sub(r"^#\|.*\n?", "", source, flags=re.M).strip()
    parts = (
        [f"``` python\n{code}\n```"] if code and options.get("echo") != "false" else []
    )
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if "text/markdown" in data:
            parts.append("".join(data["text/markdown"]))
        elif output.get("text") and options.get("output") == "asis":
            parts.append("".join(output["text"]))
        elif text := data.get("text/plain") or output.get("text"):
            parts.append(
                "\n".join("    " + line for line in "".join(text).splitlines())
            )
    return "\n\n".join(parts)


def readme() -> str:
    """The text of README.md."""
    sys.path.insert(0, str(ROOT / "tools"))
    import pypandoc
    from site_builder import processed_notebooks

    nb = json.loads((processed_notebooks() / "index.ipynb").read_text(encoding="utf-8"))
    markdown = "\n\n".join(filter(None, map(cell_markdown, nb["cells"])))
    markdown = re.sub(
        r'^::::: \{\.content-visible when-format="html"\}$.*?^:::::$',
        "",
        markdown,
        flags=re.M | re.S,
    )  # for the website only
    markdown = re.sub(
        r"\]\((\d\w*)\.ipynb", r"](nbs/\1.ipynb", markdown
    )  # pages to notebooks, where README.md is read
    markdown = markdown.replace("](images/", "](nbs/images/")
    return str(
        pypandoc.convert_text(
            markdown, "gfm", format="markdown-smart", extra_args=["--wrap=none"]
        )
    )


def main() -> None:
    path, text = ROOT / "README.md", readme()
    if "--check" in sys.argv:
        sys.exit(
            0
            if path.read_text(encoding="utf-8") == text
            else "README.md is stale: run `python tools/readme.py`"
        )
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
