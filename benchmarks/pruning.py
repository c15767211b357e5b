"""Gates on the heads of the model world-en-de, learned with it: BLEU against heads kept.

python benchmarks/pruning.py --results results/pruning.json [--seeds 0 1 2] [--part I/K]

The file is written after each run; runs that it has are not repeated. Scores are of validation sentences.
"""

from typing import Any

import torch
from study import do_missing, parser

from annotated_transformer.batches import make_batch
from annotated_transformer.checkpoints import TranslationModel, load
from annotated_transformer.data import encode_pairs, world_corpus
from annotated_transformer.modern.pruning import bleu, importance, learn_gates, pruned

STEPS, SENTENCES, STRENGTHS = 300, 48, (0.05, 0.1, 0.2)


def main() -> None:
    args = parser(__doc__, "pruning").parse_args()
    torch.set_num_threads(1)
    trained, corpus = load("world-en-de"), world_corpus(30_000)
    pairs = corpus.valid[:80]
    rows = encode_pairs(trained.tokenizer, corpus.train[: STEPS * SENTENCES])
    batches = [
        make_batch(rows[i : i + SENTENCES]) for i in range(0, len(rows), SENTENCES)
    ]
    worth = importance(trained.model, batches[:20])
    names = {f"strength {s}": s for s in STRENGTHS}
    settings = {"steps": STEPS, "sentences": SENTENCES}

    def run(row: str, seed: int) -> dict[str, Any]:
        torch.manual_seed(seed)
        tuned, gates = learn_gates(trained.model, batches, STEPS, names[row])
        whole = TranslationModel(tuned, trained.tokenizer, trained.languages)
        heads = sum(int((g > 0).sum()) for g in gates.values())
        fixed = pruned(trained.model, worth, heads)
        other, _ = learn_gates(trained.model, batches, STEPS, 0.0, fixed=fixed)
        control = TranslationModel(other, trained.tokenizer, trained.languages)
        return {
            "strength": names[row],
            "heads": heads,
            "BLEU": bleu(whole, pairs, gates),
            "BLEU by importance": bleu(control, pairs, fixed),
            "gates": {n: [round(x, 3) for x in g.tolist()] for n, g in gates.items()},
        }

    do_missing(args, list(names), settings, run)


if __name__ == "__main__":
    main()
