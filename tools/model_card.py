"""Put a trained model into models/, or write its card anew from the results files of its seeds.

python tools/model_card.py world-en-de
python tools/model_card.py multi30k-en-de --model runs/multi30k-en-de-seed0 --beam 5 --alpha 1.4
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from annotated_transformer.checkpoints import load, read_record
from annotated_transformer.commands import training_facts
from annotated_transformer.data import file_hash
from annotated_transformer.evaluation import write_text
from annotated_transformer.table3 import mean_and_sd

ROOT = Path(__file__).resolve().parent.parent
Results = dict[str, Any]


class Facts(NamedTuple):
    """What a card says that no results file has."""

    recipe: str
    data: str
    limits: str
    results: str  # files in results/, one a set and seed; the weights are of seed 0


CAPTIONS = Facts(
    "python benchmarks/multi30k.py --pair {pair}",
    "captions of photographs, Multi30k (Elliott et al., 2016), CC BY-NC-SA 4.0; "
    "the weights are given under the same license",
    "knows such captions, one sentence each; other text comes out as if it were one",
    "multi30k/{pair}-seed*.json",
)
CARDS = {
    "world-en-de": Facts(
        "annotated-transformer demo --seed 0",
        "the embedded world of this repository, made by its grammar; Apache-2.0",
        "knows the words of the embedded world and nothing else",
        "demo-seed*.json",
    ),
    "multi30k-en-de": CAPTIONS,
    "multi30k-de-en": CAPTIONS,
}
METRICS = {
    "BLEU": "BLEU",
    "BLEU tokenized, lower-cased": "tokenized, lower-cased",
    "chrF2": "chrF",
    "TER": "TER",
}


def of_run(r: Results) -> Results:
    """What a results file says of the training."""
    return r.get("training", r)


def table_of_scores(results: list[Results]) -> list[str]:
    """A row for each set and seed, and the mean of several seeds."""
    metrics = [key for key in METRICS if key in results[0]]
    head = ["set", "seed", *(METRICS[key] for key in metrics), "date"]
    lines = [head, ["---"] * len(head)]
    for name in dict.fromkeys(r["set"] for r in results):
        same = sorted(
            (r for r in results if r["set"] == name), key=lambda r: of_run(r)["seed"]
        )
        for r in same:
            scores = [f"{r[key]:.2f}" for key in metrics]
            lines.append([name, str(of_run(r)["seed"]), *scores, r["date"]])
        if len(same) > 1:
            pairs = (mean_and_sd([r[key] for r in same]) for key in metrics)
            means = [f"{mean:.2f} ± {sd:.2f}" for mean, sd in pairs]
            lines.append([name, f"mean of {len(same)}, ± sd", *means, ""])
    return [f"| {' | '.join(line)} |" for line in lines]


def costs_of(results: list[Results], costs: list[Results]) -> str:
    """Minutes of training, seed by seed. Raises `ValueError` if a run of several stages has no costs of all."""
    seeds = sorted({of_run(r)["seed"] for r in results})
    if any("start" in of_run(r) for r in results):
        if len(costs) != len(seeds):
            raise ValueError(f"costs of {len(costs)} seeds, scores of {len(seeds)}")
        minutes = [c["core seconds"] / 60 for c in costs]
        what = "core-minutes of updates and translations a seed, both first models and the final one"
    else:
        by_seed = {of_run(r)["seed"]: of_run(r)["seconds"] / 60 for r in results}
        minutes = [by_seed[seed] for seed in seeds]
        what = f"minutes a seed, {results[0]['hardware']['threads']} threads"
    return f"{', '.join(f'{m:.1f}' for m in minutes)} {what}"


def check_same(results: list[Results], record: Results, decoding: Results) -> None:
    """Raise `ValueError` if the scores of seed 0 are not of this model, or seeds are not alike."""
    for r in results:
        facts = of_run(r)
        if (
            facts.get("hyperparameters", record["hyperparameters"])
            != record["hyperparameters"]
            or facts["updates"] != record["updates"]
        ):
            raise ValueError(f"scores of seed {facts['seed']} are of another recipe")
        if "averaged checkpoints" in r and (
            (r["averaged checkpoints"], r["decoding"]) != (record["averaged"], decoding)
        ):
            raise ValueError(f"scores of seed {facts['seed']} are of another search")
    pairs = [(r["set"], of_run(r)["seed"]) for r in results]
    if len(set(pairs)) != len(pairs) or 0 not in {seed for _, seed in pairs}:
        raise ValueError("a seed is scored twice on a set, or seed 0 on none")


def card(name: str) -> str:
    """Markdown: what it is, how it was made, what it scored, what it can't do."""
    folder, facts = ROOT / "models" / name, CARDS[name]
    record = read_record(folder)
    source, target = record["languages"]
    pair = f"{source}-{target}"
    paths = sorted(ROOT.glob(f"results/{facts.results.format(pair=pair)}"))
    found = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    results = [r for r in found if "set" in r]
    costs = [r for r in found if "core seconds" in r]
    size = (folder / "weights.safetensors").stat().st_size
    decoding = json.loads((folder / "decoding.json").read_text(encoding="utf-8"))
    check_same(results, record, decoding)
    weights, bits = weights_in(folder)
    seeds = len({of_run(r)["seed"] for r in results})
    lines = [
        f"# {name}",
        "",
        f"A 2017 Transformer, {source} to {target}, trained with this repository. "
        f"{weights / 1e6:.1f} million weights of {bits} bits, {size / 1e6:.1f} MB; "
        f"{record['updates']:,} updates, the mean of {record['averaged']} checkpoints.",
        "",
        f"- Made by: `{facts.recipe.format(pair=pair)}`",
        f"- Data and license: {facts.data}",
        f"- Limits: {facts.limits}",
        f"- Search: beam {decoding['beam']}, alpha {decoding['alpha']}",
        f"- Cost: {costs_of(results, costs)}; {results[0]['hardware']['machine']}",
        f'- Use: `annotated-transformer translate {name} "…"`',
        "",
        *table_of_scores(results),
        "",
        f"{'One run.' if seeds == 1 else f'{seeds} seeds.'} The weights are those of seed 0"
        f"{rounding(name, results) if bits == 16 else '. '}"
        f"Signature of BLEU: `{results[0]['BLEU signature']}`.",
        "",
    ]
    return "\n".join(lines)


def rounding(name: str, results: list[Results]) -> str:
    """Whether seed 0 was scored as it is given, or as it was trained."""
    own = [r["command"] for r in results if of_run(r)["seed"] == 0]
    if all(f" evaluate {name} " in command for command in own):
        return ", scored as they are here, with 16 bits; other seeds, with 32. "
    return ", scored before they were rounded to 16 bits. "


def weights_in(folder: Path) -> tuple[int, int]:
    """How many weights a folder holds, and the bits of each."""
    from safetensors.torch import load_file

    tensors = load_file(folder / "weights.safetensors").values()
    bits = {8 * tensor.element_size() for tensor in tensors}
    if len(bits) != 1:
        raise SystemExit(f"{folder} mixes weights of {sorted(bits)} bits")
    return sum(tensor.numel() for tensor in tensors), bits.pop()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", choices=CARDS)
    parser.add_argument("--model", type=Path, help="a trained model to put there")
    parser.add_argument("--beam", type=int)
    parser.add_argument("--alpha", type=float)
    args = parser.parse_args()
    folder = ROOT / "models" / args.name
    if args.model:
        own = json.loads((args.model / "run.json").read_text(encoding="utf-8"))
        if own["seed"] != 0:
            raise SystemExit(f"{args.model} is of seed {own['seed']}; give seed 0")
        model = load(args.model)
        given = {"beam": args.beam, "alpha": args.alpha}
        given = {key: value for key, value in given.items() if value is not None}
        decoding = replace(model.decoding, **given)
        replace(model, decoding=decoding).save(folder, half=True, replace=True)
        facts = training_facts(args.model, model.updates)["training"]
        write_text(folder / "training.json", json.dumps(facts, indent=1) + "\n")
        print(f"hash for MODELS: {file_hash(folder / 'config.json')}")
    write_text(folder / "README.md", card(args.name))


if __name__ == "__main__":
    main()
