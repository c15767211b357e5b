"""A recurrent translator with attention beside a Transformer of the same size: BLEU and time, three seeds each.

python benchmarks/recurrence.py --results results/recurrence.json [--kinds Transformer recurrent] [--seeds 0 1 2]

Both learn Multi30k, English to German, with the same sub-words, batches, optimizer, dropout and number of updates,
and are scored on the validation pairs by greedy search every 500 updates. Each had its peak learning rate chosen
from the same three values, by the perplexity of one short run with a seed of its own. The results file is
written after each run, and runs that it has are not repeated.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from study import do_missing, parser

from annotated_transformer.batches import pad
from annotated_transformer.checkpoints import Decoding, TranslationModel
from annotated_transformer.config import Config, preset
from annotated_transformer.data import EOS, multi30k
from annotated_transformer.evaluation import scores
from annotated_transformer.hardware import Hardware
from annotated_transformer.optimizer import paper_adam
from annotated_transformer.recurrent import RecurrentTranslator, greedy
from annotated_transformer.runs import Progress
from annotated_transformer.search import length_groups, translate
from annotated_transformer.table3 import Data, data_of, read_runs
from annotated_transformer.training import updates_from
from annotated_transformer.transformer import Transformer, count_parameters
from annotated_transformer.update import train_step, validation_nll

CONFIG = preset(
    "multi30k", N=2, d_model=128, d_ff=512, h=4, P_drop=0.2, v=4000, warmup_steps=800
)
WIDTH, UPDATES, EVERY, RATES = 176, 4000, 500, (0.001, 0.002, 0.004)
TUNING = {"seed": 99, "updates": 1000}
KINDS: dict[str, Callable[[Config], Any]] = {
    "Transformer": Transformer,
    "recurrent": lambda config: RecurrentTranslator(config, WIDTH),
}


def greedy_translations(model: Any, data: Data) -> list[str]:
    """Of the validation pairs, by greedy search."""
    lines = [source for source, _ in data.corpus.valid]
    if isinstance(model, Transformer):
        whole = TranslationModel(model, data.tokenizer, data.corpus.languages)
        return translate(whole, lines, Decoding(beam=1))
    encoded, out = data.tokenizer.encode(lines), [""] * len(lines)
    for group in length_groups([len(ids) for ids in encoded], 1500):
        source = pad([[*encoded[i], EOS] for i in group])
        found = data.tokenizer.decode(greedy(model, source))
        for i, text in zip(group, found, strict=True):
            out[i] = text
    return out


def run(
    kind: str, rate: float, seed: int, updates: int, data: Data, score: bool = True
) -> dict[str, Any]:
    """Train one model; its validation numbers with the seconds of training before them."""
    config = replace(CONFIG, peak_rate=rate, train_steps=updates)
    torch.manual_seed(seed)
    model = KINDS[kind](config)
    optimizer, seconds, tokens, curve = paper_adam(model), 0.0, 0, []
    source = updates_from(Progress(), data.train, config, seed, Hardware())
    for step in range(1, updates + 1):
        model.train()
        update, started = next(source), time.perf_counter()
        train_step(model, optimizer, update.batches, step, update.tokens)
        seconds += time.perf_counter() - started
        tokens += update.tokens
        if step % EVERY == 0 or step == updates:
            model.eval()
            point = {"step": step, "tokens": tokens, "seconds": round(seconds, 1)}
            point["nll"] = round(validation_nll(model, data.valid), 4)
            if score:
                references = [target for _, target in data.corpus.valid]
                found = scores(greedy_translations(model, data), references)
                point["BLEU"] = found["BLEU"]
            curve.append(point)
            print(kind, rate, seed, point, flush=True)
    size = count_parameters(model)
    return {"peak rate": rate, "parameters": size, "curve": curve}


def main() -> None:
    arguments = parser(__doc__, "recurrence")
    arguments.add_argument(
        "--kinds", nargs="+", choices=list(KINDS), default=list(KINDS)
    )
    args = arguments.parse_args()
    data, path = data_of(multi30k("en", "de"), CONFIG.v), Path(args.results)
    settings = {"corpus": "multi30k en-de", "updates": UPDATES, "width": WIDTH}
    rates = {kind: {f"{kind}, peak {rate}": rate for rate in RATES} for kind in KINDS}
    order = [*(row for rows in rates.values() for row in rows), *KINDS]
    for kind in args.kinds:

        def tune(row: str, seed: int, kind: str = kind) -> dict[str, Any]:
            rate = rates[kind][row]
            return run(kind, rate, seed, TUNING["updates"], data, score=False)

        once = argparse.Namespace(results=path, seeds=[TUNING["seed"]], part="1/1")
        do_missing(once, list(rates[kind]), settings, tune, order)
        tuned = [r for r in read_runs(path) if r["row"] in rates[kind]]
        best = min(tuned, key=lambda r: r["curve"][-1]["nll"])["peak rate"]

        def train(row: str, seed: int, best: float = best) -> dict[str, Any]:
            return run(row, best, seed, UPDATES, data)

        do_missing(args, [kind], settings, train, order)


if __name__ == "__main__":
    main()
