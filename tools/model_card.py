"""Write the card of a model in models/ from the results files of its seeds.

python tools/model_card.py world-en-de --recipe "annotated-transformer demo --seed 0" --data "…" results/demo-seed*.json
"""

import argparse
import json
from pathlib import Path
from typing import Any

from annotated_transformer.checkpoints import read_record
from annotated_transformer.evaluation import write_text

ROOT = Path(__file__).resolve().parent.parent


def card(
    name: str, recipe: str, data: str, limits: str, results: list[dict[str, Any]]
) -> str:
    """Markdown: what it is, how it was made, what it scored, what it can't do."""
    folder = ROOT / "models" / name
    record = read_record(folder)
    size = (folder / "weights.safetensors").stat().st_size
    source, target = record["languages"]
    lines = [
        f"# {name}",
        "",
        f"A 2017 Transformer, {source} to {target}, trained with this repository. "
        f"{size / 4e6:.1f} million weights, {size / 1e6:.1f} MB; "
        f"{record['updates']:,} updates, the mean of {record['averaged']} checkpoints.",
        "",
        f"- Made by: `{recipe}`",
        f"- Data and license: {data}",
        f"- Limits: {limits}",
        f'- Use: `annotated-transformer translate {name} "…"`',
        "",
        "| set | seed | BLEU | chrF | minutes of training | date |",
        "|---|---|---|---|---|---|",
    ]
    for r in results:
        facts = r.get("training", r)
        lines.append(
            f"| {r['set']} | {facts['seed']} | {r['BLEU']:.2f} | {r['chrF2']:.2f} "
            f"| {facts['seconds'] / 60:.1f} | {r['date']} |"
        )
    hardware = results[0]["hardware"]
    lines += [
        "",
        f"{hardware['cores']} cores ({hardware['machine']}), {hardware['threads']} threads. "
        f"Signature: `{results[0]['BLEU signature']}`. The weights are those of seed "
        f"{results[0].get('training', results[0])['seed']}.",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("results", nargs="+", help="the first is the model's own")
    parser.add_argument("--recipe", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--limits", required=True)
    args = parser.parse_args()
    results = [json.loads(Path(file).read_text()) for file in args.results]
    text = card(args.name, args.recipe, args.data, args.limits, results)
    write_text(ROOT / "models" / args.name / "README.md", text)


if __name__ == "__main__":
    main()
