# `make book` builds the rendered book, `make test` runs everything that guards it; `make help` lists all targets.
# The book is the file _build/book: it is made again when one of its sources has changed, and only from what has changed.
# The environment lies in VENV. It is made from PYTHON, the first of these that is new enough.
VENV ?= .venv
PYTHON ?= $(shell for python in python3 python3.15 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && exit; done; echo python3)
BIN := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest --numprocesses $(shell n=$$(getconf _NPROCESSORS_ONLN); echo $$((n > 2 ? n : 2))) --dist loadgroup
NBVAL := --nbval --nbval-sanitize-with tests/book/nbval_sanitize.cfg
# The one notebook that `make quick CHAPTER=07_isomap` and `make notebooks CHAPTER=07_isomap` are about.
NOTEBOOK := $(if $(CHAPTER),$(or $(wildcard book/$(CHAPTER).ipynb book/*/$(CHAPTER).ipynb),$(error There is no notebook $(CHAPTER))))
SOURCES := $(shell find _config.yml _toc.yml book dimred_lessons -type f ! -path '*/__pycache__/*' ! -path '*/.*' ! -path '*/audit/*')

# One thread per numerical library: notebooks run in parallel, and results do not depend on the number of cores.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1

.DEFAULT_GOAL := help
.PHONY: help book html pdf tex epub slides figures cards test quick lint audit bench redraw opening lab serve notebooks assignments collect grade grade-demo questions dist processor oldest sphinx links advisories workflows licenses lock clean FORCE

# What people use comes first: readers and students, teachers, and authors in turn.
USED := book lab pdf dist
TAUGHT := assignments collect grade questions slides
WRITTEN := quick notebooks test

help:           ## list the targets
	@awk -F ':.*## ' -v used='$(USED)' -v taught='$(TAUGHT)' -v written='$(WRITTEN)' '/^[a-z-]+:.*## / {name[++n] = $$1; line[$$1] = sprintf("  %-13s%s", $$1, $$2)} \
		function show(names,  k, i, first) {k = split(names, first, " "); for (i = 1; i <= k; i++) {print line[first[i]]; delete line[first[i]]}} \
		END {show(used); print "\nFor teachers:"; show(taught); print "\nFor authors:"; show(written); \
		print "\nBehind these, for work on the book, the package or the course (docs/commands.md):"; \
		for (i = 1; i <= n; i++) if (name[i] in line) print line[name[i]]}' $(MAKEFILE_LIST)

# What pages are made with is installed first, and the rest when something asks for it.
INSTALL = command -v $(PYTHON) >/dev/null || { echo "There is no $(PYTHON): install Python 3.11 or newer, or name it, as in 'make $(MAKECMDGOALS) PYTHON=python3.13'."; exit 1; }; \
	$(PYTHON) book/_tools/environment.py

$(VENV)/for-book: requirements-book.txt constraints.txt pyproject.toml $(wildcard book/_ext/mathjax/*.json)
	@$(INSTALL) --for-book $(VENV)

$(VENV)/installed: $(VENV)/for-book requirements.txt
	@$(INSTALL) $(VENV)

book: _build/book  ## build the rendered book, executing the notebooks whose outputs may have changed
	@echo "The book is ready. Open $(CURDIR)/_build/html/index.html"

html: book      ## the same as book

# A build that failed or was broken off leaves _build/begun behind: the next one reads all pages again, for their
# warnings are told only once. The stamp bears the time at which the build began, so that no edit meanwhile is missed.
BUILD = if [ -e _build/begun ]; then rm -rf _build/.doctrees; fi; touch _build/begun; \
	$(BIN)/python book/_tools/pages.py

_build/book: $(VENV)/for-book _build/pages _build/sources $(SOURCES)
	@$(BUILD)
	@mv _build/begun $@

# What concerns all pages: they are written from nothing. Executed notebooks stay.
_build/pages: $(VENV)/for-book _config.yml _toc.yml _build/sources $(filter-out %.ipynb %.md %.py,$(SOURCES)) $(filter book/%.py,$(SOURCES))
	@rm -rf _build/html _build/.doctrees _build/jupyter_execute
	@mkdir -p _build && touch $@

# The names of all sources, so that one more or one less is noticed, too.
_build/sources: FORCE
	@mkdir -p _build
	@printf '%s\n' $(SOURCES) | sort >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

# All pages are read again: what this edition is made of differs from what the web edition has on its pages.
TEX := latexmk texlive-xetex texlive-latex-extra texlive-fonts-recommended fonts-dejavu-core fontconfig poppler-utils
LATEX := _build/pdf/_build/latex

tex:            ## name the packages of Debian and Ubuntu that `make pdf` needs
	@echo $(TEX)

pdf: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct)
pdf: export FORCE_SOURCE_DATE := 1
pdf: export max_print_line := 1000
pdf: $(VENV)/installed  ## set the book as a PDF with LaTeX, and check it; its numbers too if the web edition is built
	@{ which latexmk xelatex kpsewhich pdftotext fc-list && kpsewhich tcolorbox.sty lmroman10-regular.otf \
		&& fc-list | grep 'DejaVu Sans Mono'; } >/dev/null 2>&1 \
		|| { echo "The PDF is set by LaTeX, of which something is missing; on Debian and Ubuntu: apt-get install --no-install-recommends $(TEX)"; exit 1; }
	@rm -rf _build/pdf
	$(BIN)/jupyter-book build . -n -W --keep-going --builder latex --path-output _build/pdf
	cd $(LATEX) && latexmk -xelatex -silent -interaction=nonstopmode book.tex
	@mv $(LATEX)/book.pdf _build/pdf/book.pdf
	$(BIN)/python -m pytest -m pdf tests/book/test_pdf.py
	@echo "The PDF is ready: $(CURDIR)/_build/pdf/book.pdf"

epub: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct)
epub: $(VENV)/installed _build/tools/bin/epubcheck  ## make the book as an e-book (EPUB 3), and check it with epubcheck, which needs Java
	@which java >/dev/null \
		|| { echo "The e-book is checked by epubcheck, which needs Java; on Debian and Ubuntu: apt-get install --no-install-recommends default-jre-headless"; exit 1; }
	@rm -rf _build/epub
	@mkdir -p _build/epub/_build
	@if [ -e _build/formulas.sqlite ]; then cp _build/formulas.sqlite _build/epub/_build; fi
	$(BIN)/jupyter-book build . -n -W --keep-going --builder custom --custom-builder epub --path-output _build/epub
	@mv _build/epub/_build/epub/book.epub _build/epub/book.epub
	java -jar _build/tools/lib/python*/site-packages/epubcheck/epubcheck.jar --failonwarnings _build/epub/book.epub
	$(BIN)/python -m pytest -m epub tests/book/test_epub.py
	@echo "The e-book is ready: $(CURDIR)/_build/epub/book.epub"

figures: $(VENV)/installed _build/book  ## pack all figures, as drawings and as pictures, with their captions (with Chromium)
	@PYTHONPATH=book/_tools:tests $(BIN)/python -m figure_archive

cards: $(VENV)/installed  ## write the quizzes, the exercises of values and the glossary as a deck for Anki (with genanki)
	@PYTHONPATH=book/_tools $(BIN)/python -m questions.deck

# The decks lie beside the pages, whose pictures and scripts they use, and are made from what was read for these.
slides: _build/book  ## make slides of every chapter, which its page then offers; CHAPTER=07_isomap for one
	@echo "Making the slides of $(or $(CHAPTER),all chapters) ..."
	@$(BIN)/python book/_tools/pages.py --slides $(CHAPTER)
	$(BIN)/python -m pytest -m slides tests/book/test_slides.py $(if $(CHAPTER),-k $(CHAPTER))
	@echo "The slides are ready: $(CURDIR)/_build/html/slides"

test: lint _build/book  ## run everything that guards the book
	$(PYTEST) $(NBVAL) -m "not dist and not pdf and not epub and not slides" tests book

quick: lint $(if $(CHAPTER),_build/pages)  ## check style and run the tests that need no book; CHAPTER=07_isomap also executes, compares and builds it
	$(PYTEST) -p support.unchanged -p no:nbval -m "not built and not graded and not dist" tests
ifdef CHAPTER
	$(PYTEST) $(NBVAL) $(NOTEBOOK)
	@$(BUILD) $(CHAPTER)
	@rm _build/begun
	@echo "Open $(CURDIR)/_build/html/$(NOTEBOOK:.ipynb=.html)"
endif

lint: $(VENV)/installed  ## check the style of the code, how it is laid out, its spelling and its types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/codespell
	@if $(BIN)/python -c 'import numpy; raise SystemExit(not numpy.lib.NumpyVersion(numpy.__version__) >= "2.5.0")'; \
		then echo $(BIN)/mypy; $(BIN)/mypy; else echo "Types are checked where NumPy is 2.5 or newer: older ones say others."; fi

notebooks: $(VENV)/installed  ## put executed notebooks into the form that is committed; CHAPTER=07_isomap only this one
	$(BIN)/python book/_tools/notebooks.py $(CHAPTER)

audit: $(VENV)/installed  ## run every ✓ on other samples and with wrong packages; CHAPTER=07_isomap for one
	PYTHONPATH=book/_tools $(BIN)/python -m audit $(if $(CHAPTER),--chapter $(CHAPTER))

bench: $(VENV)/installed  ## time the package against its peers (ten minutes) for the table of the book: review the difference
	OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=2 $(BIN)/python benchmarks/run.py --json dimred_lessons/classroom/measurements/benchmarks.json

redraw: _build/book  ## measure how long explorers and live figures work from a move to its picture
	PYTHONPATH=tests $(BIN)/python benchmarks/redraw.py

opening: _build/book  ## measure how long pages take until they can be used, and what they weigh
	PYTHONPATH=tests $(BIN)/python benchmarks/pages.py

# The course lies in COURSE; of its assignments, NAME chooses one. SANDBOX=none grades where there is no bubblewrap.
COURSE ?= assignments
GRADING = PYTHONPATH=assignments $(BIN)/python -m grading

assignments: $(VENV)/installed  ## make the versions for students and see that the references earn full marks; NAME=pca for one, VARIANTS=yes for other data for each student
	$(GRADING) release --course $(COURSE) $(if $(VARIANTS),--variants) $(NAME)
	@echo "Give out the notebooks, and with them the page Assignments: for students"

collect: $(VENV)/installed  ## put the zip of a learning platform into assignments/submitted: NAME=pca ZIP=submissions.zip
	$(GRADING) collect --course $(COURSE) --archive "$(ZIP)" $(NAME)

grade: $(VENV)/installed  ## grade what lies in assignments/submitted: marks, feedback, notes; NAME=pca for one, AGAIN=yes for all anew
	$(GRADING) grade --course $(COURSE) $(if $(AGAIN),--again) $(if $(JOBS),--jobs $(JOBS)) $(if $(ZERO),--zero "$(ZERO)") $(NAME)

grade-demo: $(VENV)/installed  ## grade three made-up submissions, from release to feedback
	$(GRADING) demo $(or $(NAME),pca)

questions: $(VENV)/installed  ## write quizzes and exercises for Moodle, Canvas and others into _build/questions; CHAPTER=07_isomap those of one
	PYTHONPATH=book/_tools $(BIN)/python -m questions $(CHAPTER)

lab: $(VENV)/installed   ## open the notebooks in JupyterLab
	$(BIN)/jupyter lab --notebook-dir book

serve: _build/book  ## build the book and serve it at http://127.0.0.1:8000
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html 8000

dist: _build/book questions  ## pack book, notebooks, questions and package to give them away, and test the archives (downloads packages); TAG=v1.0.0 for a release
	$(BIN)/python book/_tools/distribution.py
	$(BIN)/python -m pytest -m dist tests/dist

# Tools that the book is not made with lie in an environment of their own.
_build/tools/bin/%:
	@test -x _build/tools/bin/python || $(PYTHON) -m venv _build/tools || { rm -rf _build/tools; exit 1; }
	@_build/tools/bin/python -m pip install --disable-pip-version-check --quiet $*

# Old versions use what later ones of other packages say will go away: these warnings are no errors here.
oldest: _build/tools/bin/uv  ## run the tests of package and classroom with the oldest versions that pyproject.toml allows (downloads them)
	_build/tools/bin/uv venv --quiet --clear --python $(PYTHON) _build/oldest
	_build/tools/bin/uv pip install --quiet --python _build/oldest --resolution lowest-direct --requirements pyproject.toml \
		--extra classroom --extra cvxpy --extra handwriting --extra large --extra parquet --extra penguins --extra tables --extra test
	_build/oldest/bin/python -m pytest --numprocesses auto -W ignore::DeprecationWarning tests/package tests/classroom

processor: export NPY_DISABLE_CPU_FEATURES := X86_V3 X86_V4 AVX512_ICL AVX512_SPR
processor: export OPENBLAS_CORETYPE := Nehalem
processor: $(VENV)/installed  ## execute all notebooks as an Intel or AMD processor of 2008 would, and compare their outputs
	$(PYTEST) $(NBVAL) book

# The same pages without Jupyter Book: other packages as they are locked, those that make pages the newest.
PLAIN := _build/plain
sphinx: _build/tools/bin/uv  ## build the pages by Sphinx alone, with the newest Sphinx and theme (downloads them)
	@mkdir -p $(PLAIN)
	@grep -vE '^(-|jupyter-book|sphinx-book-theme)' requirements-book.txt >$(PLAIN)/requirements.txt
	@grep -vE '^(alabaster|docutils|markdown-it-py|mdit-py-plugins|myst-|pydata-sphinx-theme|sphinx)' constraints.txt >$(PLAIN)/constraints.txt
	_build/tools/bin/uv venv --quiet --clear --python $(PYTHON) $(PLAIN)/env
	_build/tools/bin/uv pip install --quiet --python $(PLAIN)/env --constraints $(PLAIN)/constraints.txt --editable '.[classroom,cvxpy,handwriting,large,penguins,tables]' \
		--requirements $(PLAIN)/requirements.txt --requirements book/_tools/plain/requirements.txt
	$(PLAIN)/env/bin/python book/_tools/mathjax.py
	$(PLAIN)/env/bin/python -m sphinx -c book/_tools/plain -d $(PLAIN)/doctrees -E -n -W --keep-going . $(PLAIN)/html
	@echo "Open $(CURDIR)/$(PLAIN)/html/book/intro.html"

links: $(VENV)/installed  ## ask every address on the pages whether it is still there (needs the network)
	$(BIN)/jupyter-book build . --builder linkcheck --path-output _build/links

advisories: _build/tools/bin/pip-audit  ## ask what is known against the locked versions (needs the network)
	_build/tools/bin/pip-audit --strict --disable-pip --no-deps --requirement constraints.txt

workflows: _build/tools/bin/zizmor  ## look for what is unsafe in the workflows
	_build/tools/bin/zizmor --quiet --offline .github

# A license counts if one of these words is in its name. axe-playwright-python (MIT) does not say its own.
LICENSES := Apache;BSD;ISC;MIT;Mozilla;MPL;PSF;Python Software Foundation
licenses: $(VENV)/installed _build/tools/bin/pip-licenses  ## see that no installed package forbids what ours allows
	_build/tools/bin/pip-licenses --python=$(BIN)/python --from=mixed --partial-match --allow-only='$(LICENSES)' \
		--ignore-packages axe-playwright-python dimred-lessons >/dev/null

lock: _build/tools/bin/uv  ## lock what pyproject.toml and requirements.txt newly ask for in constraints.txt; UPGRADE=yes for the newest of all
	grep --no-filename --invert-match '^-' requirements-book.txt requirements.txt | _build/tools/bin/uv pip compile --quiet \
		--universal --python-version 3.11 --no-header --no-annotate --all-extras $(if $(UPGRADE),--upgrade) \
		--output-file constraints.txt pyproject.toml -

clean:          ## delete the environment and everything built
	rm -rf $(VENV) .audit _build .pytest_cache .hypothesis .mypy_cache .ruff_cache *.egg-info
