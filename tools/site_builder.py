"""Build the site without Quarto, from the same _quarto.yml: nbdev's processing, Quarto's page names, then smalldocs.

    python tools/site_builder.py [--check] [FOLDER]     (default folder: _docs)

With --check, also follow every internal link and image. Formulas are typeset by KaTeX if Node.js has
it (`npm install --prefix .venv/katex katex`; the variable KATEX names another folder).
"""

import html
import json
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent


def processed_notebooks() -> Path:
    """nbdev's own processing of all notebooks, in the folder _proc."""
    os.chdir(ROOT)
    from nbdev.quarto import refresh_quarto_yml
    from nbdev.serve import proc_nbs

    refresh_quarto_yml()
    shutil.rmtree(ROOT / "_proc", ignore_errors=True)
    return proc_nbs(n_workers=0)


def page_names(stage: Path) -> dict[str, str]:
    """Notebook file → the file whose stem is the page's name in Quarto (the `output-file` of its front matter)."""
    names = {}
    for path in stage.glob("*.ipynb"):
        front = "".join(
            json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"]
        )
        found = re.search(r"^output-file: (\S+)\.html$", front, re.M)
        names[path.name] = f"{found[1]}.ipynb" if found else path.name
    return names


def stage_pages(cache: Path, stage: Path) -> None:
    """Copy the processed notebooks and give them, and all links to them, Quarto's page names."""
    from nbdev.config import get_config

    shutil.rmtree(stage, ignore_errors=True)
    shutil.copytree(cache, stage)
    shutil.copytree(ROOT / "nbs" / "images", stage / "images", dirs_exist_ok=True)
    shutil.copy(ROOT / "nbs" / "styles.css", stage)
    for yml in ("_quarto.yml", "nbdev.yml"):
        shutil.copy(ROOT / "nbs" / yml, stage)
    names, cfg = page_names(stage), get_config()
    for old, new in names.items():
        (stage / old).rename(stage / new)
    for path in [*stage.glob("*.ipynb"), *stage.glob("*.yml")]:
        text = path.read_text(encoding="utf-8")
        for old, new in names.items():
            text = re.sub(rf"(?<![\w/-]){re.escape(old)}", new, text)
        text = text.replace(
            f"{cfg.doc_host}{cfg.doc_baseurl}/", ""
        )  # nbdev's links to our own pages
        path.write_text(
            re.sub(r"output-file: \S+?\.html\\n", "", text), encoding="utf-8"
        )


class Page(HTMLParser):
    """Collects the links, ids and images of a page."""

    def __init__(self, text: str):
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.images: list[tuple[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids |= {v for k, v in attrs if k in ("id", "name") and v}
        self.links += [v for k, v in attrs if k in ("href", "src") and v]
        if tag == "img":
            self.images.append((values.get("src") or "", values.get("alt")))


def broken_links(site: Path) -> list[str]:
    """Internal links, anchors and images that lead nowhere, and images without alternative text."""
    pages = {
        p.relative_to(site).as_posix(): Page(p.read_text(encoding="utf-8"))
        for p in site.rglob("*.html")
    }
    found = []
    for name, page in pages.items():
        for link in page.links:
            url = urlsplit(link)
            if url.scheme or url.netloc:
                continue
            target = (
                (site / name).parent / unquote(url.path) if url.path else site / name
            )
            if target.is_dir():
                target /= "index.html"
            key = os.path.relpath(target, site).replace(os.sep, "/")
            if not target.exists():
                found.append(f"{name}: {link} leads nowhere")
            elif (
                url.fragment
                and key in pages
                and unquote(url.fragment) not in pages[key].ids
            ):
                found.append(f"{name}: {link} has no such anchor")
        found += [
            f"{name}: image {src[:40]} has no alternative text"
            for src, alt in page.images
            if not alt
        ]
    return found


KATEX_RENDER = r"""
const katex = require(process.argv[1]);
const out = [];
for (const [page, kind, tex] of JSON.parse(require('fs').readFileSync(0, 'utf8'))) {
  try { out.push([katex.renderToString(tex, {throwOnError: true, displayMode: kind === 'display'}), null]); }
  catch (e) { out.push([null, `${page}: ${tex}: ${e.message}`]); }
}
console.log(JSON.stringify(out));
"""
FORMULA = re.compile(
    r'(class="math (inline|display)">)\s*(?:\\\(|\\\[)(.*?)(?:\\\)|\\\])\s*(?=<)', re.S
)


def katex_folder() -> Path | None:
    """Where KaTeX for Node.js is, if it is anywhere."""
    folder = (
        Path(os.environ.get("KATEX", ROOT / ".venv" / "katex"))
        / "node_modules"
        / "katex"
    )
    return folder if folder.is_dir() and shutil.which("node") else None


def render_formulas(site: Path) -> tuple[int, list[str]]:
    """Typeset every formula in place; how many there are, and what KaTeX says of those it can't parse.

    Needs `katex_folder()`. The pages then need neither a network nor JavaScript for their formulas.
    """
    folder = katex_folder()
    assert folder is not None
    pages = {p: p.read_text(encoding="utf-8") for p in site.rglob("*.html")}
    found = [
        (p.name, m[2], html.unescape(m[3]))
        for p, text in pages.items()
        for m in FORMULA.finditer(text)
    ]
    command = ["node", "-e", KATEX_RENDER, str(folder)]
    done = subprocess.run(
        command,
        input=json.dumps(found),
        text=True,
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    results = iter(rendered := json.loads(done.stdout))
    style = '<link rel="stylesheet" href="site_libs/katex/katex.min.css"></head>'
    for path, text in pages.items():
        text = FORMULA.sub(lambda m: m[1] + (next(results)[0] or m[3]), text)
        path.write_text(text.replace("</head>", style, 1), encoding="utf-8")
    shutil.copytree(folder / "dist", site / "site_libs" / "katex", dirs_exist_ok=True)
    return len(found), [error for _, error in rendered if error]


def build(dest: Path) -> Path:
    """Render the site into `dest` and return it. Raises `RuntimeError` if smalldocs fails."""
    stage = ROOT / "_proc" / "stage"
    stage_pages(processed_notebooks(), stage)
    done = subprocess.run(
        [str(Path(sys.executable).with_name("smalldocs")), "render", "-q", str(stage)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    shutil.rmtree(dest, ignore_errors=True)
    shutil.move(next(p for p in (stage / "_docs", stage / "_site") if p.exists()), dest)
    return dest


def main() -> None:
    folder = [a for a in sys.argv[1:] if not a.startswith("-")]
    site = build(Path(folder[0] if folder else ROOT / "_docs").resolve())
    problems = render_formulas(site)[1] if katex_folder() else []
    if "--check" in sys.argv:
        problems += broken_links(site)
    print("\n".join(problems) or f"{len(list(site.rglob('*.html')))} pages in {site}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
