"""The website: links, formulas, code once, weights, and every page in a real browser."""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from .conftest import ROOT

sys.path.insert(0, str(ROOT / "tools"))
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# The way from the landing page to what readers look for: one click, and where it must lead.
PLACES = {
    "attention.html#scaled-dot-product-attention": "Attention",
    "attention.html#masks-true-means-may-attend": "causal_mask",
    "optimizer.html#the-schedule": "warmup",
    "search.html#beam-search": "beam",
    "variations.html#the-rows": "heads",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from site_builder import build

    return build(tmp_path_factory.mktemp("site") / "docs")


def test_links(site: Path) -> None:
    from site_builder import broken_links

    assert broken_links(site) == []
    assert len(list(site.glob("*.html"))) == len(list((ROOT / "nbs").glob("*.ipynb")))


def test_formulas(site: Path) -> None:
    from site_builder import render_formulas

    count, bad = render_formulas(site)
    assert bad == []
    assert count > 100


def test_code_appears_once_on_its_page(site: Path) -> None:
    """nbdev's signature blocks and folded copies are off: a definition is on its page once."""
    page = html.unescape(
        re.sub(r"<[^>]+>", "", (site / "attention.html").read_text(encoding="utf-8"))
    )
    for definition in (
        "def causal_mask(",
        "def fused_attention(",
        "class MultiHeadAttention(",
    ):
        assert page.count(definition) == 1, definition


def test_pages_weigh_at_most_500_kb(site: Path) -> None:
    heavy = {p.name: p.stat().st_size for p in site.glob("*.html")}
    assert {n: size for n, size in heavy.items() if size > 500_000} == {}


def test_what_readers_look_for_is_one_click_away(site: Path) -> None:
    from site_builder import Page

    links = Page((site / "index.html").read_text(encoding="utf-8")).links
    for place, word in PLACES.items():
        assert place in {link.removeprefix("./") for link in links}, place
        name, anchor = place.split("#")
        page = (site / name).read_text(encoding="utf-8")
        assert word in page[page.index(f'id="{anchor}"') :], place


def needed() -> tuple[str, Path]:
    """The browser, and the folder of its drivers; or the test is skipped."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    tools = Path(os.environ.get("SITE_TOOLS", ROOT / ".venv" / "node")) / "node_modules"
    packages = all((tools / name).is_dir() for name in ("playwright-core", "axe-core"))
    if browser is None or shutil.which("node") is None or not packages:
        pytest.skip(
            "needs Chromium and Node.js with playwright-core and axe-core "
            "(`npm install --prefix .venv/node playwright-core@1 axe-core@4`); checked in CI"
        )
    return browser, tools


@pytest.fixture(scope="module")
def found(site: Path) -> dict[str, Any]:
    """What the browser found on all pages."""
    browser, tools = needed()
    quiet = type("Quiet", (SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    names = sorted(p.stem for p in site.glob("*.html"))
    address = f"http://127.0.0.1:{server.server_address[1]}"
    done = subprocess.run(
        ["node", str(ROOT / "tools" / "browser_checks.cjs"), address, browser, *names],
        env=os.environ | {"NODE_PATH": str(tools)},
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    server.shutdown()
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    assert report["pages"] == len(names)
    return report


def test_every_page_in_a_browser(found: dict[str, Any]) -> None:
    """No error, no other host, formulas have a shape, no page is wider than a phone, contrast and axe, the explorer reacts."""
    assert found["problems"] == []


def test_first_paint(found: dict[str, Any]) -> None:
    """First contentful paint in milliseconds, from a local server."""
    assert found["paint"]
    assert all(ms is not None and ms < 1500 for ms in found["paint"].values()), found[
        "paint"
    ]


def test_search_finds_label_smoothing(found: dict[str, Any]) -> None:
    assert any("regularization.html" in link for link in found["search"])


def test_pages_read_without_scripts(found: dict[str, Any]) -> None:
    assert found["without_script"]["text"] > 10_000
    assert found["without_script"]["formulas"] > 10
