"""Training speed side by side: this package, transformers' MarianMTModel, torch.nn.Transformer.

python benchmarks/training_speed.py --shape tiny --results results/training-speed-tiny.json
python benchmarks/training_speed.py --shape base-large --device cuda --precision bf16 --compiled \
    --results results/training-speed-gpu.json

One process, alternating rounds, medians. Every system gets the same synthetic tokens without padding,
float32, dropout 0.1 on sub-layer outputs and embedding sums, label smoothing 0.1, and the same fused Adam.
The peers come with: pip install -e '.[bench]'
"""

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from annotated_transformer.batches import Batch
from annotated_transformer.config import Config, preset
from annotated_transformer.cost import matrix_peak
from annotated_transformer.data import BOS, EOS
from annotated_transformer.evaluation import write_results
from annotated_transformer.hardware import PRECISIONS, Hardware
from annotated_transformer.optimizer import paper_adam
from annotated_transformer.transformer import Transformer
from annotated_transformer.update import train_step

SHAPES = {
    "tiny": (preset("tiny"), 64, 24),
    "base": (preset("base"), 16, 32),
    "base-large": (preset("base"), 96, 32),  # an eighth of the paper's batch
}
Step = Callable[[], float]


def batch_of(config: Config, rows: int, length: int, hardware: Hardware) -> Batch:
    """Random tokens, full rows; the target starts with BOS and ends with EOS."""
    source, target = torch.randint(4, config.v, (2, rows, length))
    source[:, -1], target[:, -1] = EOS, EOS
    target_in = torch.cat([torch.full((rows, 1), BOS), target[:, :-1]], 1)
    return Batch(*(x.to(hardware.device) for x in (source, target_in, target)))


def ours(
    config: Config, batch: Batch, hardware: Hardware, compiled: bool = False
) -> Step:
    """This package's own training step."""
    model = Transformer(config).to(hardware.device).train()
    adam, step = paper_adam(model), iter(range(1, 10**9))
    if compiled:
        model.encoder.compile()
        model.decoder.compile()
    return lambda: train_step(model, adam, [batch], next(step), hardware=hardware)


def trained_with(
    logits: Callable[[Tensor, Tensor], Tensor],
    model: nn.Module,
    batch: Batch,
    hardware: Hardware,
) -> Step:
    """A step of a peer: forward, cross-entropy of PyTorch, backward, fused Adam."""
    adam = torch.optim.Adam(
        model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9, fused=True
    )

    def step() -> float:
        with hardware.autocast():
            z = logits(batch.source, batch.target_in).flatten(0, 1)
            target = batch.target_out.flatten()
            loss = F.cross_entropy(z, target, label_smoothing=0.1)
        adam.zero_grad()
        loss.backward()
        adam.step()
        return loss.item()

    return step


def marian_model(c: Config, use_cache: bool = False) -> Any:
    """transformers' MarianMTModel, post-norm, ReLU, tied embeddings, PyTorch's fused attention."""
    from transformers import MarianConfig, MarianMTModel

    return MarianMTModel(
        MarianConfig(
            vocab_size=c.v,
            d_model=c.d_model,
            encoder_layers=c.N,
            decoder_layers=c.N,
            encoder_ffn_dim=c.d_ff,
            decoder_ffn_dim=c.d_ff,
            encoder_attention_heads=c.h,
            decoder_attention_heads=c.h,
            activation_function="relu",
            dropout=c.P_drop,
            attention_dropout=0.0,
            activation_dropout=0.0,
            scale_embedding=True,
            max_position_embeddings=512,
            pad_token_id=0,
            eos_token_id=EOS,
            forced_eos_token_id=EOS,
            decoder_start_token_id=BOS,
            use_cache=use_cache,
            attn_implementation="sdpa",
        )
    )


def marian(config: Config, batch: Batch, hardware: Hardware) -> Step:
    """A training step of that model."""
    model = marian_model(config).to(hardware.device).train()

    def logits(source: Tensor, target: Tensor) -> Tensor:
        return model(input_ids=source, decoder_input_ids=target).logits

    return trained_with(logits, model, batch, hardware)


class TorchTransformer(nn.Module):
    """torch.nn.Transformer with one shared embedding."""

    def __init__(self, c: Config):
        super().__init__()
        self.embedding = nn.Embedding(c.v, c.d_model)
        nn.init.normal_(self.embedding.weight, std=c.d_model**-0.5)
        self.dropout, self.scale = nn.Dropout(c.P_drop), c.d_model**0.5
        self.body = nn.Transformer(
            c.d_model, c.h, c.N, c.N, c.d_ff, c.P_drop, batch_first=True
        )
        for module in self.body.modules():  # none inside sub-layers, as in the paper
            if isinstance(module, nn.MultiheadAttention):
                module.dropout = 0.0
            if isinstance(
                module, nn.TransformerEncoderLayer | nn.TransformerDecoderLayer
            ):
                module.dropout = nn.Dropout(0.0)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        x, y = (self.dropout(self.embedding(n) * self.scale) for n in (source, target))
        mask = nn.Transformer.generate_square_subsequent_mask(
            target.shape[1], target.device
        )
        out = self.body(x, y, tgt_mask=mask, tgt_is_causal=True)
        return F.linear(out, self.embedding.weight)


def torch_transformer(config: Config, batch: Batch, hardware: Hardware) -> Step:
    model = TorchTransformer(config).to(hardware.device).train()
    return trained_with(model, model, batch, hardware)


def measure(
    systems: dict[str, Step], rounds: int, seconds: float, hardware: Hardware
) -> tuple[dict[str, list[float]], list[float]]:
    """Seconds a step in each round for each system, in turn; and the machine's peak in each round."""
    times: dict[str, list[float]] = {name: [] for name in systems}
    peaks = []
    for step in systems.values():
        step(), step()
    for _ in range(rounds):
        peaks.append(matrix_peak(hardware.device, PRECISIONS[hardware.precision]))
        for name, step in systems.items():
            n, started = 0, time.perf_counter()
            while n < 2 or time.perf_counter() - started < seconds:
                step()
                n += 1
            times[name].append((time.perf_counter() - started) / n)
        print({name: round(t[-1], 3) for name, t in times.items()}, flush=True)
    return times, peaks


def report(
    shape: str, rounds: int, seconds: float, compiled: bool, hardware: Hardware
) -> dict[str, Any]:
    """Medians, ratios to Marian, and shares of the matrix-product peak."""
    config, rows, length = SHAPES[shape]
    torch.manual_seed(0)
    batch = batch_of(config, rows, length, hardware)
    systems = {
        "annotated_transformer": ours(config, batch, hardware),
        "transformers MarianMTModel": marian(config, batch, hardware),
        "torch.nn.Transformer": torch_transformer(config, batch, hardware),
    }
    if compiled:
        systems["annotated_transformer, compiled"] = ours(
            config, batch, hardware, compiled=True
        )
    with FlopCounterMode(display=False) as counter:
        model = Transformer(config).to(hardware.device)
        model(batch.source, batch.target_in).sum().backward()
    flops = counter.get_total_flops()
    times, peaks = measure(systems, rounds, seconds, hardware)
    peak, marian_times = statistics.median(peaks), times["transformers MarianMTModel"]
    return {
        "shape": {"name": shape, "rows": rows, "length": length},
        "device": {
            "name": torch.cuda.get_device_name()
            if hardware.device == "cuda"
            else hardware.device,
            "precision": hardware.precision,
            "peak memory of all systems, bytes": torch.cuda.max_memory_allocated()
            if hardware.device == "cuda"
            else None,
        },
        "matrix product, FLOP/s": round(peak),
        "FLOP a step": flops,
        "systems": {
            name: {
                "target tokens a second": round(rows * length / statistics.median(t)),
                "speed over MarianMTModel": round(
                    statistics.median(
                        m / s for m, s in zip(marian_times, t, strict=True)
                    ),
                    2,
                ),
                "share of the peak": round(flops / statistics.median(t) / peak, 3),
                "seconds a step, each round": [round(x, 4) for x in t],
            }
            for name, t in times.items()
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", choices=SHAPES, default="tiny")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=3.0, help="a system a round")
    parser.add_argument("--compiled", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--precision", choices=PRECISIONS, default="fp32")
    parser.add_argument("--results", metavar="FILE")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    hardware = Hardware(args.device, args.precision)
    found = report(args.shape, args.rounds, args.seconds, args.compiled, hardware)
    for name, row in found["systems"].items():
        speed, ratio = row["target tokens a second"], row["speed over MarianMTModel"]
        share = row["share of the peak"]
        print(
            f"{name:<34} {speed:>6} tokens/s {ratio:.2f} x Marian {share:.0%} of peak"
        )
    if args.results:
        write_results(args.results, found)


if __name__ == "__main__":
    main()
