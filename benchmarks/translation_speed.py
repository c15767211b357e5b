"""Translation speed side by side: this package and transformers' MarianMTModel.generate.

python benchmarks/translation_speed.py --results results/translation-speed.json

Shape "tiny" with random weights, which are shared by both; sources of 16 tokens, outputs of exactly 16, float32.
One process, alternating rounds, medians of the ratios. The peer comes with: pip install -e '.[bench]'
"""

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from training_speed import marian_model

from annotated_transformer.config import preset
from annotated_transformer.data import BOS, EOS, PAD
from annotated_transformer.evaluation import write_results
from annotated_transformer.search import beam_search, greedy_search
from annotated_transformer.transformer import Transformer

TOKENS = 16
CASES = {  # batch, beam, aim: times MarianMTModel.generate
    "batch 64, beam 4": (64, 4, 2.0),
    "batch 64, beam 1": (64, 1, 1.5),
    "batch 1, beam 4": (1, 4, 1.5),
    "batch 1, beam 1": (1, 1, 1.5),
}


def ours(batch: int, beam: int) -> Callable[[Tensor], Any]:
    """This package's search; end-of-sentence is so improbable that every output has all its tokens."""
    torch.manual_seed(0)
    model = Transformer(preset("tiny")).eval()
    with torch.no_grad():
        model.embedding.weight[EOS] *= 0.0  # its logit is 0, in the middle

    def run(source: Tensor) -> int:
        if beam == 1:
            return len(greedy_search(model, source, extra=1))
        return len(beam_search(model, source, beam, alpha=10.0, extra=1))

    return run


def peer(batch: int, beam: int) -> Callable[[Tensor], Any]:
    """transformers' generate, with its cache, forced to the same number of tokens."""
    torch.manual_seed(0)
    model = marian_model(preset("tiny"), use_cache=True).eval()
    settings = {
        "num_beams": beam,
        "do_sample": False,
        "min_new_tokens": TOKENS,
        "max_new_tokens": TOKENS,
        "bad_words_ids": [[PAD]],
    }

    @torch.no_grad()
    def run(source: Tensor) -> int:
        return len(model.generate(source, **settings))

    return run


def measure(case: str, rounds: int, seconds: float) -> dict[str, Any]:
    """Seconds a batch in each round for both, in turn."""
    batch, beam, _ = CASES[case]
    systems = {"ours": ours(batch, beam), "marian": peer(batch, beam)}
    torch.manual_seed(1)
    source = torch.randint(4, preset("tiny").v, (batch, TOKENS))
    source[:, -1] = EOS
    times: dict[str, list[float]] = {name: [] for name in systems}
    for run in systems.values():
        run(source), run(source)
    for _ in range(rounds):
        for name, run in systems.items():
            n, started = 0, time.perf_counter()
            while n < 2 or time.perf_counter() - started < seconds:
                run(source)
                n += 1
            times[name].append((time.perf_counter() - started) / n)
    ratios = [m / o for o, m in zip(times["ours"], times["marian"], strict=True)]
    return {
        "output tokens a second": {
            name: round(batch * TOKENS / statistics.median(t))
            for name, t in times.items()
        },
        "times MarianMTModel.generate": round(statistics.median(ratios), 2),
        "seconds a batch, each round": {
            name: [round(x, 4) for x in t] for name, t in times.items()
        },
    }


def cost_by_position(length: int = 200) -> dict[str, float]:
    """Seconds of a step at some positions for one sentence and four hypotheses, the median of five runs."""
    model = Transformer(preset("tiny")).eval()
    source = torch.randint(4, model.config.v, (1, 24))
    found: dict[int, list[float]] = {}
    with torch.no_grad():
        for _ in range(5):
            cache = model.start(source)
            tokens = torch.full((1, 1), BOS)
            for position in range(length + 5):
                started = time.perf_counter()
                tokens = model.step(tokens, cache).argmax(-1).expand(1, 4)
                cache.select(torch.tensor([[0, 0, 1, 2]]))
                near = round(position, -1)
                if near and abs(position - near) < 5:
                    took = time.perf_counter() - started
                    found.setdefault(near, []).append(took)
    return {str(n): round(statistics.median(found[n]), 6) for n in (10, 100, 200)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=1.5, help="a system a round")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--results", metavar="FILE")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    found: dict[str, Any] = {"cases": {}}
    for case in CASES:
        found["cases"][case] = measure(case, args.rounds, args.seconds)
        print(case, found["cases"][case]["times MarianMTModel.generate"], flush=True)
    found["seconds of a step by position"] = cost_by_position()
    print(found["seconds of a step by position"])
    if args.results:
        write_results(args.results, found)


if __name__ == "__main__":
    main()
