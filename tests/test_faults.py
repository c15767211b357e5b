"""Kinds of faults reported against systems like this one. The chapters test each where it is explained;
here they meet the whole model."""

import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from annotated_transformer.attention import (
    MultiHeadAttention,
    attention,
    causal_mask,
    fused_attention,
)
from annotated_transformer.batches import make_batch
from annotated_transformer.config import Config, preset, vary
from annotated_transformer.data import (
    EOS,
    PAD,
    encode_pairs,
    train_tokenizer,
    world_corpus,
)
from annotated_transformer.evaluation import scores
from annotated_transformer.regularization import smooth_targets, smoothed_loss
from annotated_transformer.runs import Progress
from annotated_transformer.search import beam_search, greedy_search
from annotated_transformer.training import Plan, watch_best
from annotated_transformer.transformer import Transformer
from annotated_transformer.update import batch_loss, validation_nll

SMALL = Config(N=2, d_model=32, d_ff=64, h=4, d_k=8, d_v=8, v=60, P_drop=0.0)


def model(config: Config = SMALL, seed: int = 0) -> Transformer:
    torch.manual_seed(seed)
    return Transformer(config).eval()


@pytest.mark.parametrize("form", [lambda *a: attention(*a)[0], fused_attention])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_no_permitted_key(form, dtype) -> None:  # type: ignore[no-untyped-def]
    q, k, v = (
        torch.randn(2, 2, 4, 8, dtype=dtype, requires_grad=True) for _ in range(3)
    )
    mask = torch.ones(2, 1, 4, 4, dtype=torch.bool)
    mask[1], mask[0, 0, 2] = False, False
    with torch.autograd.set_detect_anomaly(True):
        out = form(q, k, v, mask)
        out.float().square().sum().backward()
    assert out[1].abs().sum() == 0
    assert out[0, :, 2].abs().sum() == 0
    for x in (q, k, v):
        assert x.grad is not None
        assert x.grad.isfinite().all()
        assert x.grad[1].abs().sum() == 0


def test_a_source_of_padding_only_gives_finite_numbers() -> None:
    m = model()
    loss, _ = batch_loss(
        m,
        make_batch([([], [5, 6]), ([7], [])])._replace(
            source=torch.tensor([[PAD, PAD], [7, EOS]])
        ),
        0.1,
    )
    loss.smoothed.backward()
    assert math.isfinite(loss.smoothed.item())
    assert all(p.grad is None or p.grad.isfinite().all() for p in m.parameters())


@pytest.mark.parametrize(
    "mask",
    [torch.ones(3, 3), torch.zeros(1, 1, 3, 3), torch.ones(3, 3, dtype=torch.int64)],
)
def test_masks_that_are_not_boolean(mask: torch.Tensor) -> None:
    x = torch.randn(1, 3, 8)
    with pytest.raises(TypeError, match=r"expected torch\.bool with True = may attend"):
        MultiHeadAttention(8, 2)(x, x, x, mask)


@pytest.mark.parametrize("seed", range(5))
def test_no_leak_from_the_future(seed: int) -> None:
    m = model(seed=seed)
    source, target = torch.randint(4, 60, (2, 6)), torch.randint(4, 60, (2, 9))
    for t in range(1, 9):
        changed = target.clone()
        changed[:, t] = (changed[:, t] - 3) % 56 + 4
        assert torch.equal(m(source, changed)[:, :t], m(source, target)[:, :t])


def test_train_eval_and_no_grad_agree_without_dropout() -> None:
    m, x = model(), torch.randint(4, 60, (2, 6))
    with torch.no_grad():
        silent = m(x, x)
    assert_close(m.train()(x, x), silent, atol=1e-6, rtol=1e-6)
    assert_close(m.eval()(x, x), silent, atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("eps", [0.0, 0.1, 1.0])
def test_smoothing_at_its_ends(eps: float) -> None:
    logits, target = (
        (torch.randn(5, 9) * 50).requires_grad_(),
        torch.randint(0, 9, (5,)),
    )
    loss = smoothed_loss(logits, target, eps)
    assert math.isfinite(loss.smoothed.item())
    (gradient,) = torch.autograd.grad(loss.smoothed, logits)
    assert gradient.isfinite().all()
    assert_close(gradient.sum(1), torch.zeros(5), atol=1e-5, rtol=0)
    assert_close(smooth_targets(target, 9, eps).sum(1), torch.ones(5))
    assert_close(
        loss.smoothed,
        F.cross_entropy(logits, target, label_smoothing=eps, reduction="sum"),
        atol=1e-3,
        rtol=1e-5,
    )


def test_perplexity_does_not_depend_on_smoothing_or_dropout() -> None:
    pairs = world_corpus(100).train
    encoded = encode_pairs(
        train_tokenizer((line for p in pairs for line in p), 300), pairs
    )
    config = vary(SMALL, v=300)
    plain, smoothed = (
        model(vary(config, eps_ls=eps, P_drop=drop)).train()
        for eps, drop in ((0.0, 0.0), (0.3, 0.5))
    )
    assert validation_nll(plain, encoded) == validation_nll(smoothed, encoded)
    assert smoothed.training


@pytest.mark.parametrize(("d_model", "h"), [(5, 1), (7, 7), (9, 3)])
@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
def test_odd_widths(d_model: int, h: int, positions: str) -> None:
    m = model(vary(SMALL, d_model=d_model, h=h, positions=positions))
    assert (
        m(torch.randint(4, 60, (2, 3)), torch.randint(4, 60, (2, 4))).isfinite().all()
    )


@pytest.mark.parametrize("name", ["demo", "multi30k", "tiny"])
def test_first_loss_is_about_ln_v(name: str) -> None:
    c = preset(name)
    m, x = model(c).train(), torch.randint(4, c.v, (8, 20))
    assert (
        abs(
            F.cross_entropy(m(x, x)[:, :-1].flatten(0, 1), x[:, 1:].flatten()).item()
            - math.log(c.v)
        )
        < 1
    )
    assert abs(m.embedding(x).std().item() - 1) < 0.1


def test_any_length_and_half_precision() -> None:
    m = model(vary(SMALL, N=1))
    assert m.encode(torch.randint(4, 60, (1, 5001))).isfinite().all()
    half, x = m.to(torch.bfloat16), torch.tensor([[5, 6, PAD], [7, PAD, PAD]])
    assert half(x, x).isfinite().all()


@pytest.mark.parametrize(
    "search",
    [
        lambda m, x: [h.tokens for h in greedy_search(m, x)],
        lambda m, x: [h[0].tokens for h in beam_search(m, x)],
    ],
)
def test_search_in_a_batch_is_search_alone(search) -> None:  # type: ignore[no-untyped-def]
    m = model(vary(SMALL, v=20))
    rows = [[*torch.randint(4, 20, (n,)).tolist(), EOS] for n in (1, 3, 3, 8)]
    batch = torch.tensor([row + [PAD] * (9 - len(row)) for row in rows])
    together = search(m, batch)
    assert together == [search(m, torch.tensor([row]))[0] for row in rows]
    for row, tokens in zip(rows, together, strict=True):
        assert tokens[-1] == EOS
        assert EOS not in tokens[:-1]
        assert not set(tokens) & {0, 1, 2}
        assert len(tokens) <= len(row) - 1 + 50


def test_scores_are_on_detokenized_text_and_signed() -> None:
    found = scores(["Ein Mann, der schläft."], ["Ein Mann, der schläft."])
    assert found["BLEU"] == 100
    assert found["BLEU signature"].startswith(
        "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:"
    )
    assert scores(["ein mann, der schläft."], ["Ein Mann, der schläft."])["BLEU"] < 100


def test_causal_mask_of_one() -> None:
    assert causal_mask(1).tolist() == [[[[True]]]]


def test_vocabulary_never_sees_the_test_set() -> None:
    corpus = world_corpus(200)
    marked = corpus._replace(test=[("Żółw.", "Żółw.")], valid=[("Łódź.", "Łódź.")])
    tokenizer = train_tokenizer((line for p in marked.train for line in p), 300)
    assert tokenizer.unknown("Żółw") != []


@pytest.mark.parametrize(
    ("watch", "kept", "waited"), [("BLEU", [0, 1], 2), ("perplexity", [0, 2, 3], 0)]
)
def test_the_best_model_is_kept_whatever_is_watched(
    watch: str, kept: list[int], waited: int, tmp_path: Path
) -> None:
    saved: list[int] = []
    trainer = SimpleNamespace(
        plan=Plan(patience=2, watch=watch),
        progress=Progress(),
        report=object(),
        run=tmp_path,
    )
    model = SimpleNamespace(save=lambda *_, **__: saved.append(trainer.progress.step))
    for step, (bleu, perplexity) in enumerate([(10, 9), (12, 20), (11, 5), (11.5, 4)]):
        trainer.progress = replace(trainer.progress, step=step)
        numbers = {"BLEU": float(bleu), "perplexity": float(perplexity)}
        watch_best(trainer, model, numbers)  # type: ignore[arg-type]
    assert (saved, trainer.progress.waited) == (kept, waited)
