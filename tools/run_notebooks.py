"""Execute notebooks in place and store their outputs, skipping the cells that `nbdev_test` skips.

python tools/run_notebooks.py [nbs/32_attention.ipynb ...]
"""

import os
import sys
import time
from pathlib import Path

from execnb.nbio import read_nb, write_nb
from execnb.shell import CaptureShell
from nbdev.clean import clean_nb
from nbdev.config import get_config
from nbdev.doclinks import nbglob
from nbdev.process import NBProcessor


def skipped_cells(path: Path) -> set[str]:
    """Ids of the cells that carry one of the skip flags of settings.ini, or `#| eval: false`."""
    flags = set(get_config().tst_flags.split())
    skipped = set()
    for cell in NBProcessor(path).nb.cells:
        directives = cell.directives_ if cell.cell_type == "code" else {}
        if (
            flags & directives.keys()
            or directives.get("eval:", [""])[0].lower() == "false"
        ):
            skipped.add(cell.id)
    return skipped


def run(path: Path) -> bool:
    """Run one notebook in its own folder; False if a cell raised."""
    skipped, nb, shell, here = (
        skipped_cells(path),
        read_nb(path),
        CaptureShell(path),
        Path.cwd(),
    )
    for cell in nb.cells:
        if cell.cell_type == "code" and cell.id not in skipped:
            cell.outputs = []
    os.chdir(path.parent)
    try:
        shell.run_all(
            nb,
            exc_stop=True,
            preproc=lambda c: c.cell_type != "code" or c.id in skipped,
        )
    except Exception:
        print(shell.prettytb(fname=path), file=sys.stderr)
        return False
    finally:
        os.chdir(here)
    clean_nb(nb)
    write_nb(nb, path)
    return True


def main() -> None:
    os.environ["IN_TEST"] = "1"
    sys.path.insert(0, str(get_config().config_path))
    paths = [Path(a).resolve() for a in sys.argv[1:]] or [
        Path(p).resolve() for p in nbglob()
    ]
    failed = []
    for path in paths:
        started = time.time()
        if not run(path):
            failed.append(path.name)
        print(f"{path.name}: {time.time() - started:.1f} s", flush=True)
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
