"""Packaging. Every value comes from settings.ini: change it there."""

import shlex
from configparser import ConfigParser
from pathlib import Path

from setuptools import find_packages, setup

here = Path(__file__).parent
parser = ConfigParser(delimiters=["="])
parser.read(here / "settings.ini", encoding="utf-8")
ini = parser["DEFAULT"]

setup(
    name=ini["lib_name"],
    version=ini["version"],
    description=ini["description"],
    long_description=(here / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    author=ini["author"],
    author_email=ini["author_email"],
    license={"apache2": "Apache-2.0"}[ini["license"]],
    license_files=["LICENSE"],
    keywords=ini["keywords"].split(),
    url=ini["git_url"],
    project_urls={"Documentation": ini["doc_host"] + ini["doc_baseurl"]},
    packages=find_packages(include=["annotated_transformer", "annotated_transformer.*"]),
    package_data={"annotated_transformer": ["py.typed"]},
    python_requires=">=" + ini["min_python"],
    install_requires=shlex.split(ini["requirements"]),
    extras_require={
        name: shlex.split(ini[f"{name}_requirements"])
        for name in ("dev", "data", "log", "bench", "scores", "viz")
    },
    entry_points={
        "console_scripts": [ini["console_scripts"]],
        "nbdev": ["annotated_transformer=annotated_transformer._modidx:d"],
    },
)
