"""Build the site without Quarto, from the same _quarto.yml: nbdev's processing, Quarto's page names, then smalldocs.

    python tools/site_builder.py [--check] [FOLDER]     (default folder: _docs)

With --check, also follow every internal link and image. Formulas become MathML, which needs no script.
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
    for name in ("images", "fonts"):
        shutil.copytree(ROOT / "nbs" / name, stage / name, dirs_exist_ok=True)
    for name in ("styles.css", "site.scss", "head.html", "_quarto.yml", "nbdev.yml"):
        shutil.copy(ROOT / "nbs" / name, stage)
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


BETWEEN = "between-two-formulas"
FORMULA = re.compile(
    r'(class="math (inline|display)">)\s*(?:\\\(|\\\[)(.*?)(?:\\\)|\\\])\s*(?=<)', re.S
)


def render_formulas(site: Path) -> tuple[int, list[str]]:
    """Every formula as MathML in place, by pandoc as in Quarto; how many there are, and those it can't parse.

    The pages then need neither a network nor JavaScript for their formulas.
    """
    import pypandoc

    pages = {p: p.read_text(encoding="utf-8") for p in site.rglob("*.html")}
    found = [
        (p.name, m[2], html.unescape(m[3]).strip())
        for p, text in pages.items()
        for m in FORMULA.finditer(text)
    ]
    quote = {"inline": "$", "display": "$$"}
    blocks = [quote[kind] + tex + quote[kind] for _, kind, tex in found]
    made = pypandoc.convert_text(
        f"\n\n{BETWEEN}\n\n".join(blocks),
        "html",
        format="markdown",
        extra_args=["--mathml", "--wrap=none"],
    )
    pieces = [re.sub(r"</?p>", "", x).strip() for x in made.split(f"<p>{BETWEEN}</p>")]
    results = iter(pieces)
    for path, text in pages.items():
        text = FORMULA.sub(lambda m: m[1] + next(results), text)
        path.write_text(text, encoding="utf-8")
    bad = [
        f"{page}: {tex} is not a formula that pandoc can read"
        for (page, _, tex), piece in zip(found, pieces, strict=True)
        if not piece.startswith("<math")
    ]
    return len(found), bad


def keep_at_home(site: Path) -> None:
    """Do what Quarto does by itself with our settings: no web font (site.scss), no script for formulas (mathml)."""
    for path in site.rglob("*.css"):
        css = path.read_text(encoding="utf-8")
        path.write_text(
            re.sub(r"@import url\(https://fonts[^)]*\);", "", css),
            encoding="utf-8",
        )
    elsewhere = re.compile(
        r"<link[^>]*katex[^>]*>|<script[^>]*katex[^>]*></script>", re.I
    )
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        path.write_text(elsewhere.sub("", text), encoding="utf-8")


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
    keep_at_home(dest)
    return dest


def main() -> None:
    folder = [a for a in sys.argv[1:] if not a.startswith("-")]
    site = build(Path(folder[0] if folder else ROOT / "_docs").resolve())
    problems = render_formulas(site)[1]
    if "--check" in sys.argv:
        problems += broken_links(site)
    print("\n".join(problems) or f"{len(list(site.rglob('*.html')))} pages in {site}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
