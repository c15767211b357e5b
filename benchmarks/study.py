"""What the studies share: arguments, and a loop that adds one run after the other to a results file."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from annotated_transformer.evaluation import check_results, write_results
from annotated_transformer.modern.depth import Contexts, count_loss
from annotated_transformer.table3 import (
    add_run,
    check_same,
    part_of,
    run_facts,
    still_missing,
)

Run = dict[str, Any]


def parser(doc: str | None, name: str, seeds: int = 3) -> argparse.ArgumentParser:
    """Arguments of a study whose results go to `results/NAME.json`."""
    found = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    found.add_argument("--results", metavar="FILE", default=f"results/{name}.json")
    found.add_argument("--seeds", type=int, nargs="+", default=list(range(seeds)))
    found.add_argument("--part", metavar="I/K", type=part, default="1/1")
    return found


def count_tokens(
    args: argparse.Namespace,
    name: str,
    train: Sequence[Sequence[int]],
    held_out: Sequence[Sequence[int]],
    v: int,
    ways: dict[str, Contexts],
) -> None:
    """Write what tables of counts give, in each of some ways, to `NAME-yardsticks.json` beside the results."""
    path = Path(args.results).with_name(f"{name}-yardsticks.json")
    check_results(path)
    found = {
        way: round(count_loss(train, held_out, v, contexts), 4)
        for way, contexts in ways.items()
    }
    write_results(path, {"counts": found})


def part(text: str) -> str:
    """Check 'I/K' before anything is loaded."""
    try:
        part_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


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
    for what, row, seed in still_missing(path, rows, args.seeds, args.part, print):
        found = run(row, seed) | {"row": row, "seed": seed} | run_facts()
        add_run(path, found, settings, list(order or rows))
        hide = ("seed", "threads")
        short = {
            key: value
            for key, value in found.items()
            if isinstance(value, int | float) and key not in hide
        }
        print(f"{what}:", short, flush=True)
