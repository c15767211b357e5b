"""What the heads of a translation model look at, over Multi30k's validation pairs.

python benchmarks/heads.py multi30k-en-de

Summaries of every head; the largest weight of each query, by layer; and for each possessive pronoun with exactly one
noun of PEOPLE before it, how much each encoder head gives from the pronoun to that noun, and to the next word. One
thread.
"""

import argparse
from collections import defaultdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from annotated_transformer.checkpoints import load
from annotated_transformer.data import Pairs, multi30k
from annotated_transformer.evaluation import check_results, write_results
from annotated_transformer.heads import all_weights, by_words, summarize_heads

PRONOUNS = {"his", "her", "its", "their"}
PEOPLE = {
    *("man", "woman", "boy", "girl", "child", "kid", "baby", "toddler", "person"),
    *("lady", "guy", "player", "worker", "dog", "couple", "group"),
    *("men", "women", "boys", "girls", "children", "kids", "people", "ladies"),
    *("guys", "players", "workers", "dogs"),
}
PARTS = 10  # of the range of weights, for the counts of largest weights


def pronoun_and_noun(words: list[str]) -> tuple[int, int] | None:
    """Positions of the first possessive pronoun and of the only noun of PEOPLE before it, if there are such."""
    lower = [word.lower() for word in words]
    at = next((i for i, word in enumerate(lower) if word in PRONOUNS), None)
    nouns = [i for i, word in enumerate(lower[:at]) if word in PEOPLE]
    return (at, nouns[0]) if at is not None and len(nouns) == 1 else None


def study(model: Any, pairs: Pairs) -> dict[str, Any]:
    """All three measurements."""
    counts: dict[str, Tensor] = defaultdict(lambda: torch.zeros(PARTS))
    to_noun: dict[str, list[float]] = defaultdict(list)
    to_next: dict[str, list[float]] = defaultdict(list)
    even: list[float] = []
    done: dict[tuple[str, int], int] = defaultdict(int)
    encode, pieces = model.tokenizer.encode, model.tokenizer.pieces
    for (kind, layer), weights, sizes in all_weights(model, pairs, rows=64):
        start = done[kind, layer]
        done[kind, layer] += len(sizes)
        for b, (queries, keys) in enumerate(sizes):
            w = weights[b, :, :queries, :keys]
            for head, largest in enumerate(w.max(-1).values):
                name = f"{kind} {layer + 1}.{head + 1}"
                counts[name] += largest.clamp(0, 1).histc(PARTS, 0, 1)
            if kind != "encoder":
                continue
            own = [*pieces(encode([pairs[start + b][0]])[0]), "</s>"]
            words = by_words(w[0], own, own)[1]
            found = pronoun_and_noun(words)
            if found is None:
                continue
            if layer == 0:
                even.append(1 / len(words))
            for head, one in enumerate(w):
                pronoun, noun = found
                shares = by_words(one, own, own)[0][pronoun].tolist()
                name = f"{kind} {layer + 1}.{head + 1}"
                to_noun[name].append(shares[noun])
                to_next[name].append(shares[pronoun + 1])
    return {
        "sentences": len(pairs),
        "summaries": {
            f"{kind} {layer + 1}.{head + 1}": s._asdict() | {"name": s.name}
            for (kind, layer, head), s in summarize_heads(model, pairs).items()
        },
        "largest weights": {name: c.int().tolist() for name, c in counts.items()},
        "pronouns": {
            "cases": len(even),
            "evenly spread": sum(even) / len(even),
            "to the noun": {name: sum(g) / len(g) for name, g in to_noun.items()},
            "to the next word": {name: sum(g) / len(g) for name, g in to_next.items()},
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", help="a name or a folder")
    parser.add_argument("--results", type=Path, help="results/heads/MODEL.json")
    args = parser.parse_args()
    torch.set_num_threads(1)
    path = args.results or Path(f"results/heads/{Path(args.model).name}.json")
    check_results(path)
    model = load(args.model)
    found = study(model, multi30k(*model.languages).valid)
    write_results(path, {"model": args.model} | found)


if __name__ == "__main__":
    main()
