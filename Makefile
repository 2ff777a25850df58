# `make book` builds the rendered book, `make test` runs everything that guards it; `make help` lists the rest.
PYTHON ?= python3
BIN := .venv/bin
# Decided dependencies of later chapters: locked with the rest now, so that adding one moves no other version.
PLANNED := nbgrader==0.9.6 tapkee

# One thread per numerical library: notebooks run in parallel, and results do not depend on the number of cores.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1

.DEFAULT_GOAL := help
.PHONY: help book html test bench redraw lab serve notebooks lock clean

help:           ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 12

.venv/installed: requirements.txt constraints.txt pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info; v[:2] in [(3, 11), (3, 12), (3, 13)] or sys.exit(f"Python 3.11, 3.12 or 3.13 is needed, but $(PYTHON) is {v[0]}.{v[1]}: run make with PYTHON=python3.12, say.")'
	@echo "Installing the book's environment into .venv (about a minute) ..."
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --requirement requirements.txt
	@touch $@

book: html      ## build the rendered book, executing every notebook
	@echo "The book is ready. Open $(CURDIR)/_build/html/index.html"

html: .venv/installed
	@rm -rf _build
	@echo "Executing the notebooks and writing the pages; each is named when its turn comes ..."
	DIMRED_BOOK=1 $(BIN)/jupyter-book build . --all -n -W --keep-going

test: html      ## run everything that guards the book
	$(BIN)/python -m pytest -n 2 --dist worksteal tests
	$(BIN)/python -m pytest --nbval --nbval-sanitize-with tests/book/nbval_sanitize.cfg -n 2 --dist loadfile book

bench: .venv/installed  ## time the package against its peers, on two threads (ten minutes; not part of the tests)
	@mkdir -p _build
	OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=2 $(BIN)/python benchmarks/run.py --json _build/benchmarks.json

redraw: html    ## measure how long explorers take from slider to picture
	PYTHONPATH=tests $(BIN)/python benchmarks/redraw.py

lab: .venv/installed   ## open the notebooks in JupyterLab
	$(BIN)/jupyter lab --notebook-dir book

serve: html     ## build the book and serve it at http://127.0.0.1:8000
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html 8000

notebooks: .venv/installed  ## execute every notebook and put it into the form that is committed
	$(BIN)/python book/_ext/notebooks.py book/*.ipynb

lock: .venv/installed  ## resolve requirements.txt afresh into constraints.txt
	$(BIN)/python -m pip install --disable-pip-version-check --quiet uv
	{ grep --invert-match '^-' requirements.txt; printf '%s\n' $(PLANNED); } | $(BIN)/uv pip compile --quiet --universal \
		--python-version 3.11 --no-header --no-annotate --output-file constraints.txt -

clean:          ## delete the environment and everything built
	rm -rf .venv _build .pytest_cache .hypothesis *.egg-info
