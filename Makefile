# Everything a developer types. `make demo` and `make test` need only Python 3.11+, make and git.

VENV := .venv
RUN := $(VENV)/bin/python
# Two processes at once: the suite is many short runs, each on one thread.
PARALLEL := -n 2 --dist worksteal

.PHONY: demo test check proof bench localise sizes lint types layers docs reference install clean help

help: ## list what can be made
	@grep -E '^[a-z]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/.demo-installed ## kill a training run, resume it, prove that nothing changed
	@$(RUN) tools/demo.py

test: $(VENV)/.dev-installed ## the fast suite, every promise included
	@$(RUN) -m pytest -m "not slow" $(PARALLEL)

check: lint types layers ## the fast gate for every change: lint, types, layers, unit tests
	@$(RUN) -m pytest -m "not slow" $(PARALLEL) --ignore=tests/promises --ignore=tests/docs --ignore=tests/examples

proof: $(VENV)/.dev-installed ## the slow suites whole (hours), then everything; writes docs/proof.md
	@$(RUN) tools/proof.py

bench: $(VENV)/.dev-installed ## speed as ratios in one run; writes docs/benchmarks.md
	@$(RUN) bench/run.py --write docs/benchmarks.md

localise: $(VENV)/.dev-installed ## plant faults, see what diff --deep names; writes its section of docs/benchmarks.md
	@$(RUN) bench/localise/run.py --write docs/benchmarks.md

sizes: $(VENV)/.dev-installed ## the ten largest files, classes, functions and fan-outs
	@$(RUN) tools/sizes.py

lint: $(VENV)/.dev-installed ## ruff
	@$(RUN) -m ruff check .

types: $(VENV)/.dev-installed ## mypy, strict
	@$(RUN) -m mypy

layers: $(VENV)/.dev-installed ## imports go down the ladder only
	@$(VENV)/bin/lint-imports --no-logo

docs: $(VENV)/.dev-installed ## links, lengths and freshness of every page
	@$(RUN) -m pytest tests/docs/test_pages.py tests/docs/test_reference.py

reference: $(VENV)/.dev-installed ## write usage and options of every verb into docs/reference
	@$(RUN) tools/reference.py

install: $(VENV)/.dev-installed ## .venv with everything that the tests need

clean: ## remove what was built here, never a run folder
	rm -rf $(VENV) .demo .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/bin/python:
	@found=; for name in python3.11 python3 python3.12 python3.13 python3.14 python; do \
	  if $$name -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; \
	  then found=$$name; break; fi; done; \
	if [ -z "$$found" ]; then \
	  echo "samerun needs Python 3.11 or newer with the venv module; none was found on PATH." >&2; exit 1; fi; \
	echo "creating $(VENV) with $$($$found --version)"; $$found -m venv $(VENV)

# A stamp is newer than both files it depends on, so a second `make test` installs nothing.
$(VENV)/.demo-installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "installing samerun and what the demo needs (once)"
	@$(RUN) -m pip install --quiet -c constraints.txt -e '.[demo]'
	@touch $@

$(VENV)/.dev-installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "installing samerun and what its tests need (once)"
	@$(RUN) -m pip install --quiet -c constraints.txt -e '.[dev]'
	@touch $(VENV)/.demo-installed $@
