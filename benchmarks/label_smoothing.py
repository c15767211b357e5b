"""Worse perplexity, better BLEU? Multi30k with and without label smoothing, three seeds each.

python benchmarks/label_smoothing.py --results results/label-smoothing.json

The preset `multi30k`, 1,000 updates, the last weights (no averaging), scored on the validation pairs alone:
perplexity from the plain likelihood, BLEU of beam search. Runs are kept in --runs and continue where they were
stopped; the results file is written after each, and runs that it has are not repeated.
"""

import argparse
import itertools
import json
from pathlib import Path
from typing import Any

from annotated_transformer.checkpoints import load
from annotated_transformer.config import preset
from annotated_transformer.data import Corpus, multi30k
from annotated_transformer.evaluation import scores, write_results
from annotated_transformer.runs import checkpoint_folders, read_metrics
from annotated_transformer.search import translate
from annotated_transformer.training import Plan, train

SMOOTHING, SEEDS, UPDATES = (0.1, 0.0), (0, 1, 2), 1000


def run(corpus: Corpus, folder: Path, eps: float, seed: int) -> dict[str, Any]:
    """Train or continue; what the validation pairs say of the last weights."""
    plan = Plan(until=UPDATES, every=500, keep=1)
    config = preset("multi30k", eps_ls=eps)
    done = train(config, corpus, folder, seed=seed, plan=plan, resume=folder.exists())
    record = [r for r in read_metrics(folder / "metrics.jsonl") if "perplexity" in r]
    model = load(checkpoint_folders(folder)[-1])
    hypotheses = translate(model, [source for source, _ in corpus.valid])
    found = scores(hypotheses, [target for _, target in corpus.valid])
    return {
        "perplexity": round(record[-1]["perplexity"], 3),
        "BLEU": found["BLEU"],
        "BLEU signature": found["BLEU signature"],
        "target tokens": done.tokens,
        "seconds": round(done.seconds),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--results", metavar="FILE", default="results/label-smoothing.json"
    )
    parser.add_argument("--runs", metavar="FOLDER", default="runs/label-smoothing")
    args = parser.parse_args()
    path, corpus = Path(args.results), multi30k("en", "de")
    found = json.loads(path.read_text()) if path.exists() else {"runs": {}}
    for seed, eps in itertools.product(SEEDS, SMOOTHING):
        key = f"eps_ls {eps}, seed {seed}"
        if key not in found["runs"]:
            folder = Path(args.runs) / key.replace(", ", "-").replace(" ", "-")
            found["runs"][key] = run(corpus, folder, eps, seed)
            print(key, found["runs"][key], flush=True)
            settings = {"updates": UPDATES, "seeds": SEEDS, "preset": "multi30k"}
            write_results(path, found | settings)


if __name__ == "__main__":
    main()
