"""Gates on the heads of the model world-en-de, learned with it: BLEU against heads kept.

python benchmarks/pruning.py --results results/pruning.json [--seeds 0 1 2] [--part I/K]

The file is written after each run; runs that it has are not repeated. Scores are of validation sentences.
"""

import argparse
from pathlib import Path

import torch

from annotated_transformer.batches import make_batch
from annotated_transformer.checkpoints import TranslationModel, load
from annotated_transformer.data import encode_pairs, world_corpus
from annotated_transformer.evaluation import check_results
from annotated_transformer.modern.pruning import bleu, learn_gates
from annotated_transformer.table3 import add_run, missing

STEPS, SENTENCES, STRENGTHS = 400, 48, (0.02, 0.05, 0.1, 0.2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", metavar="FILE", default="results/pruning.json")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--part", metavar="I/K", default="1/1")
    args = parser.parse_args()
    check_results(args.results)
    trained, corpus = load("world-en-de"), world_corpus(30_000)
    pairs = corpus.valid[:200]
    rows = encode_pairs(trained.tokenizer, corpus.train[: STEPS * SENTENCES])
    batches = [
        make_batch(rows[i : i + SENTENCES]) for i in range(0, len(rows), SENTENCES)
    ]
    names = {f"strength {s}": s for s in STRENGTHS}
    settings = {"steps": STEPS, "sentences": SENTENCES}
    path = Path(args.results)
    for row, seed in missing(path, list(names), args.seeds, args.part):
        torch.manual_seed(seed)
        tuned, gates = learn_gates(trained.model, batches, STEPS, names[row])
        whole = TranslationModel(tuned, trained.tokenizer, trained.languages)
        run = {
            "row": row,
            "seed": seed,
            "strength": names[row],
            "heads": sum(int((g > 0).sum()) for g in gates.values()),
            "BLEU": bleu(whole, pairs, gates),
            "gates": {n: [round(x, 3) for x in g.tolist()] for n, g in gates.items()},
        }
        add_run(path, run, settings, list(names))
        print(row, seed, run["heads"], run["BLEU"], flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
