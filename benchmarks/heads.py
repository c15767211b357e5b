"""What the heads of a translation model look at, over Multi30k's validation pairs.

python benchmarks/heads.py multi30k-en-de

Summaries of every head; and for the first possessive pronoun of a caption with exactly one noun of PEOPLE before it
(mostly, not always, the owner), how much each encoder head gives from the pronoun to that noun, and to the next word;
beside it what the same weight for every sub-word would give, and what the head gives to the next word from any word.
One thread.
"""

import argparse
from collections import defaultdict
from pathlib import Path
from typing import Any

import torch

from annotated_transformer.checkpoints import (
    MODELS,
    TranslationModel,
    load,
    model_named,
)
from annotated_transformer.data import Pairs, file_hash, multi30k
from annotated_transformer.evaluation import check_results, write_results
from annotated_transformer.heads import all_weights, by_words, summarize_heads

PRONOUNS = {"his", "her", "its", "their"}
PEOPLE = {
    *("man", "woman", "boy", "girl", "child", "kid", "baby", "toddler", "person"),
    *("lady", "guy", "player", "worker", "dog", "couple", "group"),
    *("men", "women", "boys", "girls", "children", "kids", "people", "ladies"),
    *("guys", "players", "workers", "dogs"),
}


def pronoun_and_noun(words: list[str]) -> tuple[int, int] | None:
    """Positions of the first possessive pronoun, if a word follows, and of the only noun of PEOPLE before it."""
    lower = [word.lower() for word in words]
    at = next((i for i, word in enumerate(lower) if word in PRONOUNS), None)
    if at is None or not lower[at + 1][:1].isalpha() or lower[at + 1] == "</s>":
        return None  # the last word is always </s>
    nouns = [i for i, word in enumerate(lower[:at]) if word in PEOPLE]
    return (at, nouns[0]) if len(nouns) == 1 else None


def mean(values: list[float]) -> float:
    return round(sum(values) / len(values), 5)


def pronouns(model: TranslationModel, pairs: Pairs) -> dict[str, Any]:
    """Where encoder heads look from a pronoun."""
    noun: dict[str, list[float]] = defaultdict(list)
    following: dict[str, list[float]] = defaultdict(list)
    anywhere: dict[str, list[float]] = defaultdict(list)
    done: dict[int, int] = defaultdict(int)  # sentences, by layer
    encode, pieces = model.tokenizer.encode, model.tokenizer.pieces
    for (kind, layer), weights, sizes in all_weights(model, pairs, rows=64):
        if kind != "encoder":
            continue
        start = done[layer]
        done[layer] += len(sizes)
        for b, (queries, keys) in enumerate(sizes):
            own = [*pieces(encode([pairs[start + b][0]])[0]), "</s>"]
            heads = {f"{layer + 1}.{h + 1}": w for h, w in enumerate(weights[b])}
            if layer == 0:
                heads["even"] = torch.full_like(weights[b, 0], 1 / keys)
            for name, w in heads.items():
                joined, words, _ = by_words(w[:queries, :keys], own, own)
                anywhere[name] += joined.diagonal(1).tolist()
                if found := pronoun_and_noun(words):
                    noun[name].append(joined[found].item())
                    following[name].append(joined[found[0], found[0] + 1].item())
    return {
        "cases": len(noun["even"]),
        "to the noun": {name: mean(x) for name, x in noun.items()},
        "to the next word": {name: mean(x) for name, x in following.items()},
        "to the next word, from any": {name: mean(x) for name, x in anywhere.items()},
    }


def study(model: TranslationModel, pairs: Pairs) -> dict[str, Any]:
    """Both measurements."""
    return {
        "sentences": len(pairs),
        "summaries": {
            f"{kind} {layer + 1}.{head + 1}": s._asdict() | {"name": s.name}
            for (kind, layer, head), s in summarize_heads(model, pairs).items()
        },
        "pronouns": pronouns(model, pairs),
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
    folder = model_named(args.model) if args.model in MODELS else Path(args.model)
    facts = {"model": args.model, "config": file_hash(folder / "config.json")}
    found = study(model, multi30k(*model.languages).valid)
    write_results(path, facts | found)


if __name__ == "__main__":
    main()
