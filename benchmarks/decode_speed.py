"""One decoding step of self-attention against the length of the cache: all heads, groups, one group, latent.

python benchmarks/decode_speed.py --results results/decode-speed.json

Variants take turns; the results are medians.
"""

import argparse
import time
from pathlib import Path
from statistics import median

import torch

from annotated_transformer.attention import MultiHeadAttention
from annotated_transformer.evaluation import check_results, write_results
from annotated_transformer.modern.keys_values import GroupedAttention
from annotated_transformer.modern.latent import LatentAttention

SENTENCES, D_MODEL, H = 32, 512, 8
LENGTHS = [64, 128, 256, 512, 1024, 2048]
ROUNDS = 30


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--results", metavar="FILE", default="results/decode-speed.json"
    )
    args = parser.parse_args()
    check_results(args.results)
    torch.manual_seed(0)
    variants = {
        "8 heads": MultiHeadAttention(D_MODEL, H),
        "2 groups": GroupedAttention(D_MODEL, H, 2),
        "1 group": GroupedAttention(D_MODEL, H, 1),
        "latent, 128 + 32": LatentAttention(D_MODEL, H, 128, 32),
    }
    x = torch.randn(SENTENCES, 1, D_MODEL)
    times: dict[str, list[float]] = {name: [] for name in variants}
    numbers = {}
    for n in LENGTHS:
        past = {
            name: layer.keys_values(y := torch.randn(SENTENCES, n, D_MODEL), y)
            for name, layer in variants.items()
        }
        numbers = {
            name: sum(part.shape[1] * part.shape[3] for part in kept)
            for name, kept in past.items()
        }
        found: dict[str, list[float]] = {name: [] for name in variants}
        for _ in range(ROUNDS):
            for name, layer in variants.items():
                maps = layer.packed()
                started = time.perf_counter()
                q, _new = layer.project(x, maps, n)
                layer.combine(q, past[name], None)
                found[name].append(time.perf_counter() - started)
        for name in variants:
            times[name].append(round(1000 * median(found[name]), 4))
        print(n, {name: times[name][-1] for name in variants})
    write_results(
        Path(args.results),
        {
            "sentences": SENTENCES,
            "d_model": D_MODEL,
            "lengths": LENGTHS,
            "variants": {
                name: {"numbers": numbers[name], "milliseconds": times[name]}
                for name in variants
            },
        },
    )


if __name__ == "__main__":
    torch.set_num_threads(1)
    with torch.inference_mode():
        main()
