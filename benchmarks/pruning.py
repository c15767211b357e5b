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
from annotated_transformer.modern.pruning import bleu, importance, learn_gates, pruned
from annotated_transformer.table3 import add_run, check_same, missing

STEPS, SENTENCES, STRENGTHS = 300, 48, (0.05, 0.1, 0.2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", metavar="FILE", default="results/pruning.json")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--part", metavar="I/K", default="1/1")
    args = parser.parse_args()
    Path(args.results).parent.mkdir(parents=True, exist_ok=True)
    trained, corpus = load("world-en-de"), world_corpus(30_000)
    pairs = corpus.valid[:80]
    rows = encode_pairs(trained.tokenizer, corpus.train[: STEPS * SENTENCES])
    batches = [
        make_batch(rows[i : i + SENTENCES]) for i in range(0, len(rows), SENTENCES)
    ]
    worth = importance(trained.model, batches[:20])
    names = {f"strength {s}": s for s in STRENGTHS}
    settings = {"steps": STEPS, "sentences": SENTENCES}
    path = Path(args.results)
    check_same(path, settings)
    for row, seed in missing(path, list(names), args.seeds, args.part):
        torch.manual_seed(seed)
        tuned, gates = learn_gates(trained.model, batches, STEPS, names[row])
        whole = TranslationModel(tuned, trained.tokenizer, trained.languages)
        heads = sum(int((g > 0).sum()) for g in gates.values())
        fixed = pruned(trained.model, worth, heads)
        other, _ = learn_gates(trained.model, batches, STEPS, 0.0, fixed=fixed)
        control = TranslationModel(other, trained.tokenizer, trained.languages)
        run = {
            "row": row,
            "seed": seed,
            "strength": names[row],
            "heads": heads,
            "BLEU": bleu(whole, pairs, gates),
            "BLEU by importance": bleu(control, pairs, fixed),
            "gates": {n: [round(x, 3) for x in g.tolist()] for n, g in gates.items()},
        }
        add_run(path, run, settings, list(names))
        print(row, seed, heads, run["BLEU"], run["BLEU by importance"], flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
