# make demo   train on the embedded world and look at the result   (about 5 minutes)
# make test   every check that the project has                     (about 10 minutes)
# Both set up their own virtual environment in .venv. VENV=folder chooses another.

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
SETUP = setup.py settings.ini pyproject.toml constraints.txt

.PHONY: demo test lint site readme clean

demo: $(VENV)/.core
	$(BIN)/annotated-transformer demo

test: $(VENV)/.dev
	SITE_TOOLS="$(abspath $(VENV))/node" $(BIN)/python -m pytest

lint: $(VENV)/.dev
	$(BIN)/ruff check . && $(BIN)/mypy

site: $(VENV)/.dev
	$(BIN)/python tools/site_builder.py --check _docs

readme: $(VENV)/.dev
	$(BIN)/python tools/readme.py

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; set PYTHON=python3.12, for instance"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: $(VENV)/bin/python $(SETUP)
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e .
	@touch $@

# The site is opened in a browser where there is one, with Node.js; elsewhere that test is skipped and says so.
$(VENV)/.dev: $(VENV)/bin/python $(SETUP)
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@if command -v npm >/dev/null; then npm install --silent --no-fund --no-audit --prefix $(VENV)/node playwright-core@1 axe-core@4; fi
	@touch $@ $(VENV)/.core

clean:
	rm -rf $(VENV) _docs _proc build dist *.egg-info
