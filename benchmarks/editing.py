"""Edits of the model world-en-de: one noun made to mean another, in each layer of the encoder, in three ways.

python benchmarks/editing.py --results results/editing.json [--seeds 0 1 2] [--part I/K]

The file is written after each run; runs that it has are not repeated. Sentences that are scored are new to the model.
"""

import random
import re
from collections.abc import Iterator
from typing import Any

import torch
from study import do_missing, parser

from annotated_transformer import lexicon
from annotated_transformer.batches import make_batch
from annotated_transformer.checkpoints import Decoding, load
from annotated_transformer.data import encode_pairs, world_corpus
from annotated_transformer.modern.editing import (
    about,
    edited,
    find_edit,
    rank_one,
    second_moments,
    swapped,
    value_matrix,
)
from annotated_transformer.search import translate
from annotated_transformer.update import batch_loss

PAIRS, SENTENCES, SCORED, OTHERS, STEPS, RATE = 8, 10, 30, 60, 30, 0.003
LISTS = ("PERSONS", "ANIMALS", "FOOD", "PLACES", "THINGS")
KNOWN = (
    "witch",
    "queen",
    "king",
    "pear",
    "apple",
    "doctor",
    "nurse",
    "teacher",
    "child",
    "cake",
    "soup",
)
GREEDY = Decoding(beam=1)


def nouns(name: str) -> list[tuple[str, str]]:
    """English singular and plural of the nouns of a list, without those that the method was tried on."""
    entries = re.split(r"[|\n]", getattr(lexicon, name))
    forms = [(entry.split()[0], entry.split()[1]) for entry in entries]
    return [pair for pair in forms if pair[0] not in KNOWN]


def drawn(seed: int) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """Endless pairs of two nouns of the same list, singular and plural each."""
    rng = random.Random(seed)
    while True:
        one, other = rng.sample(nouns(rng.choice(LISTS)), 2)
        yield one, other


def main() -> None:
    args = parser(__doc__, "editing").parse_args()
    torch.set_num_threads(1)
    trained = load("world-en-de")
    trained.model.eval()
    lines = [source for source, _ in world_corpus(30_000).train]
    known = set(lines)
    fresh = [s for s, _ in world_corpus(30_000, seed=1).train if s not in known]

    def say(sources: list[str]) -> list[str]:
        return translate(trained, sources, GREEDY)

    def meant(sources: list[str], word: str, other: str) -> list[str]:
        return say([swapped(s, word, other) for s in sources])

    def trained_on(pairs: list[tuple[str, str]], layer: int) -> torch.Tensor:
        """What training of W_2 alone changes."""
        weight = value_matrix(trained, layer).weight
        before = weight.detach().clone()
        batch = make_batch(encode_pairs(trained.tokenizer, pairs))
        adam = torch.optim.Adam([weight], RATE)
        for _ in range(STEPS):
            loss, tokens = batch_loss(trained.model, batch, 0.0)
            (weight.grad,) = torch.autograd.grad(loss.smoothed / tokens, weight)
            adam.step()
        change = weight.detach() - before
        with torch.no_grad():
            weight.copy_(before)
        weight.grad = None
        return change

    def edit(
        one: tuple[str, str], other: tuple[str, str], layer: int, C: torch.Tensor
    ) -> dict[str, Any] | None:
        """The shares of each way, for a pair of nouns; none if there are too few sentences."""
        (word, plural), (target, targets) = one, other
        shown, scored = about(lines, word, SENTENCES), about(fresh, word, SCORED)
        many = about(fresh, plural, SCORED)
        if len(shown) < SENTENCES or min(len(scored), len(many)) < SCORED:
            return None
        rest = [
            s for s in fresh[: 2 * OTHERS] if not any(about([s], w, 1) for w in one)
        ]
        sets = {
            "wanted": (scored, meant(scored, word, target)),
            "as before": (rest[:OTHERS], say(rest[:OTHERS])),
            "plural": (many, meant(many, plural, targets)),
        }
        pairs = list(zip(shown, meant(shown, word, target), strict=True))
        found = find_edit(trained, pairs, word, layer, STEPS)
        updates = {
            "with C": rank_one(found, C),
            "without C": rank_one(found, torch.eye(len(C)), 0.0),
            "W2 trained": trained_on(pairs, layer),
        }
        result: dict[str, Any] = {"word": word, "target": target, "loss": found.loss}
        for way, update in updates.items():
            with edited(trained, layer, update):
                result[way] = {
                    name: sum(map(str.__eq__, say(sources), asked)) / len(asked)
                    for name, (sources, asked) in sets.items()
                }
        return result

    def run(row: str, seed: int) -> dict[str, Any]:
        layer, words = int(row.split()[1]) - 1, []
        C = second_moments(trained, lines[:600], layer)
        draw = drawn(seed)
        while len(words) < PAIRS:
            found = edit(*next(draw), layer, C)
            words += [found] if found else []
        return {"layer": layer, "words": words}

    settings = {"pairs": PAIRS, "sentences": SENTENCES, "steps": STEPS, "rate": RATE}
    rows = [f"layer {i + 1}" for i in range(trained.model.config.N)]
    do_missing(args, rows, settings, run)


if __name__ == "__main__":
    main()
