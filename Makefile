# Two commands matter: `make run` and `make test`. Both do all set-up first; repeated, the set-up is a no-op.

VENV := .venv
PYTHON ?= python3
# The contestants are what camera.py runs.
BENCHMARKS := $(filter-out benchmarks/camera_%.py,$(wildcard benchmarks/*.py))
NATIVE := setup.py $(wildcard ubersim/physics/kernel/*)
# Every version that pip may choose is written down there, and so is what the native part is built with. Older versions of
# pip look for the latter in the first variable, newer ones in the second.
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_BUILD_CONSTRAINT := $(CURDIR)/constraints.txt

.PHONY: run test coverage setup lint types bench wheel docs constraints clean

run: setup
	$(VENV)/bin/ubersim demo segway

test: setup $(VENV)/tested
	$(VENV)/bin/pytest -n auto

# Which lines no test runs, those of subprocesses included; slower than the tests alone.
coverage: setup $(VENV)/tested
	$(VENV)/bin/pytest -n auto --cov --cov-report=term

setup: $(VENV)/installed

# The stamp is newer than everything that decides what has to be installed or compiled.
$(VENV)/installed: pyproject.toml constraints.txt scripts/system-packages $(NATIVE)
	scripts/system-packages
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	# A description left by an earlier build would be found before the installed one.
	rm -rf ubersim.egg-info
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

# Only tests need these: a real browser for the live page, and another binding of ODE to compare with.
$(VENV)/tested: $(VENV)/installed
	scripts/system-packages chromium python3-pyode
	touch $@

lint: setup
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check --quiet .

types: setup
	$(VENV)/bin/mypy

bench: setup
	for file in $(BENCHMARKS); do echo "== $$file"; $(VENV)/bin/python $$file || exit 1; done

wheel: setup
	scripts/build-wheel

docs: $(VENV)/documented
	scripts/build-docs

# What builds the site is not needed for anything else.
$(VENV)/documented: $(VENV)/installed
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $@

# Looks up the newest versions of everything that pyproject.toml asks for; then see to it that all tests pass with them.
constraints: setup
	$(VENV)/bin/pip install --quiet --disable-pip-version-check uv
	$(VENV)/bin/uv pip compile --quiet --upgrade --universal --all-extras --no-annotate \
		--custom-compile-command 'make constraints' --output-file constraints.txt pyproject.toml

clean:
	rm -rf $(VENV) .cache build dist site *.egg-info ubersim/physics/_kernel*.so
