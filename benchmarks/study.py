"""What the studies share: arguments, and a loop that adds one run after the other to a results file."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from annotated_transformer.table3 import add_run, check_same, missing

Run = dict[str, Any]


def parser(doc: str | None, name: str, seeds: int = 3) -> argparse.ArgumentParser:
    """Arguments of a study whose results go to `results/NAME.json`."""
    found = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    found.add_argument("--results", metavar="FILE", default=f"results/{name}.json")
    found.add_argument("--seeds", type=int, nargs="+", default=list(range(seeds)))
    found.add_argument("--part", metavar="I/K", default="1/1", help="of the runs")
    return found


def do_missing(
    args: argparse.Namespace,
    rows: Sequence[str],
    settings: dict[str, Any],
    run: Callable[[str, int], Run],  # a row and a seed
    order: Sequence[str] = (),  # of all rows, if `rows` are only some
) -> None:
    """Do the runs that the file does not have, one thread each, and print their numbers."""
    torch.set_num_threads(1)
    path = Path(args.results)
    path.parent.mkdir(parents=True, exist_ok=True)
    check_same(path, settings)
    todo = missing(path, rows, args.seeds, args.part)
    for number, (row, seed) in enumerate(todo, 1):
        found = {"row": row, "seed": seed} | run(row, seed)
        add_run(path, found, settings, list(order or rows))
        short = {
            k: v
            for k, v in found.items()
            if isinstance(v, (int, float)) and k != "seed"
        }
        print(f"{number} of {len(todo)}: {row}, seed {seed}:", short, flush=True)
