"""One model's translations of Multi30k's validation sentences, counted in eight ways.

annotated-transformer evaluate runs/NAME --data multi30k --split valid --translations valid.de
python benchmarks/which_bleu.py valid.de --results results/which-bleu.json
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sacrebleu.metrics import BLEU

from annotated_transformer.data import multi30k_file, read_lines
from annotated_transformer.evaluation import write_results
from annotated_transformer.metrics import moses, split_compounds, token_bleu

Cut = Callable[[list[str]], list[str]]
CUTS: dict[str, Cut] = {
    "Moses": lambda s: moses(s, "de"),
    "Moses, compounds split (the paper)": lambda s: [
        split_compounds(x) for x in moses(s, "de")
    ],
    "Moses, lower-cased": lambda s: moses(s, "de", lower=True),
    "Moses, normalized, lower-cased (Multi30k)": lambda s: moses(s, "de", True, True),
    "spaces only": lambda s: [" ".join(x.split()) for x in s],
}


def count(hypotheses: list[str], references: list[str]) -> list[dict[str, Any]]:
    """Each way's score, and in how many translations its tokens are not those of plain Moses."""
    found = []
    for name, settings in (
        ("sacreBLEU", {}),
        ("sacreBLEU, lower-cased", {"lowercase": True}),
        ("sacreBLEU, international", {"tokenize": "intl"}),
    ):
        metric = BLEU(**settings)
        score = metric.corpus_score(hypotheses, [references]).score
        row = {"way": name, "BLEU": round(score, 2)}
        found.append(row | {"signature": str(metric.get_signature())})
    plain = moses(hypotheses, "de")
    for name, cut in CUTS.items():
        ours, theirs = cut(hypotheses), cut(references)
        other = sum(a != b for a, b in zip(ours, plain, strict=True))
        score = round(token_bleu(ours, theirs), 2)
        found.append({"way": name, "BLEU": score, "cut differently": other})
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("translations", type=Path)
    parser.add_argument("--results", metavar="FILE", default="results/which-bleu.json")
    args = parser.parse_args()
    hypotheses = read_lines(args.translations)
    references = read_lines(multi30k_file("val.de"))
    hyphens = {
        name: sum("-" in word for line in lines for word in line.split())
        for name, lines in (("translations", hypotheses), ("references", references))
    }
    found = {"ways": count(hypotheses, references), "words with a hyphen": hyphens}
    write_results(args.results, {"set": "multi30k valid"} | found)
    for way in found["ways"]:
        print(way)


if __name__ == "__main__":
    main()
