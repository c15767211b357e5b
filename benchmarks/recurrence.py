"""A recurrent translator with attention beside a Transformer of the same size: BLEU and time, three seeds each.

ANNOTATED_TRANSFORMER_DATA=… python benchmarks/recurrence.py --results results/recurrence.json

Both learn Multi30k, English to German, with the same sub-words, batches, optimizer, dropout and number of updates,
and are scored on the validation pairs by greedy search every 500 updates. Each had its peak learning rate chosen
from the same three values, by the perplexity of one short run with a seed of its own. The results file is
written after each run, and runs that it has are not repeated.
"""

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from annotated_transformer.batches import pad
from annotated_transformer.checkpoints import Decoding, TranslationModel, write_text
from annotated_transformer.config import Config, preset
from annotated_transformer.data import EOS, multi30k
from annotated_transformer.evaluation import circumstances, scores
from annotated_transformer.hardware import Hardware
from annotated_transformer.optimizer import paper_adam
from annotated_transformer.recurrent import RecurrentTranslator, greedy
from annotated_transformer.runs import Progress
from annotated_transformer.search import length_groups, translate
from annotated_transformer.table3 import Data, data_of
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
    facts = {"kind": kind, "peak rate": rate, "seed": seed}
    return facts | {"parameters": count_parameters(model), "curve": curve}


def write(path: Path, found: dict[str, Any]) -> None:
    """All runs so far, with how they were made."""
    settings = {"corpus": "multi30k en-de", "updates": UPDATES, "width": WIDTH}
    record = json.dumps(settings | found | circumstances(), indent=1)
    write_text(path, record + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    args = parser.parse_args()
    found: dict[str, Any] = {"tuning": [], "runs": []}
    if args.results.exists():
        before = json.loads(args.results.read_text())
        found = {key: before[key] for key in found}
    data = data_of(multi30k("en", "de"), CONFIG.v)
    for kind in KINDS:
        for rate in RATES:
            if (kind, rate) not in [
                (r["kind"], r["peak rate"]) for r in found["tuning"]
            ]:
                found["tuning"].append(
                    run(kind, rate, **TUNING, data=data, score=False)
                )
                write(args.results, found)
        own = [r for r in found["tuning"] if r["kind"] == kind]
        best = min(own, key=lambda r: r["curve"][-1]["nll"])["peak rate"]
        for seed in args.seeds:
            if (kind, seed) not in [(r["kind"], r["seed"]) for r in found["runs"]]:
                found["runs"].append(run(kind, best, seed, UPDATES, data))
                write(args.results, found)


if __name__ == "__main__":
    main()
