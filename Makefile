# Two commands matter: `make run` and `make test`. Both do all set-up first; repeated, the set-up is a no-op.

VENV := .venv
PYTHON ?= python3
# The contestants are what camera.py runs.
BENCHMARKS := $(filter-out camera_% __init__,$(basename $(notdir $(wildcard benchmarks/*.py))))
NATIVE := setup.py $(wildcard ubersim/physics/kernel/*.*)
# Every version that pip may choose is written down there, and so is what the native part is built with. Older versions of
# pip look for the latter in the first variable, newer ones in the second.
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_BUILD_CONSTRAINT := $(CURDIR)/constraints.txt

# Two tests more than there are cores: many wait for processes, browsers and time limits. Neighbours share what they set up.
# What pytest and Python compile is kept, also where the environment says otherwise: each process would compile it anew.
# Matrices are multiplied by one thread: beside other tests, more of them only wait for each other.
PYTEST := PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 $(VENV)/bin/pytest -n $(shell expr $$(nproc) + 2) --dist worksteal

.PHONY: run test asan fuzz soak coverage setup lint types bench tables fidelity pictures wheel docs constraints clean

run: setup
	$(VENV)/bin/ubersim demo segway

test: setup $(VENV)/tested
	$(PYTEST)

# Strangers of all kinds, for as long as FUZZ_SECONDS says; what ends or hangs a server is kept in fuzz-findings.
FUZZ_SECONDS ?= 600
FUZZ_SEED ?= 1
fuzz: setup
	$(VENV)/bin/python -m tests.robustness.fuzz --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED)

# Which lines no test runs, those of subprocesses included; slower than the tests alone.
coverage: setup $(VENV)/tested
	$(PYTEST) --cov --cov-report=term

# An editable installation is not compiled by pip, and where Python may not write, every start would compile all of it.
setup: $(VENV)/installed
	$(VENV)/bin/python -m compileall -q ubersim

# The stamp is newer than everything that decides what has to be installed or compiled.
$(VENV)/installed: pyproject.toml constraints.txt scripts/system-packages $(NATIVE)
	scripts/system-packages
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	# A description left by an earlier build would be found before the installed one.
	rm -rf ubersim.egg-info
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

# Only tests need these: a real browser for the live page, a compiler for the client in C++, and another binding of ODE to compare with.
$(VENV)/tested: $(VENV)/installed
	scripts/system-packages chromium g++ python3-pyode
	touch $@

# The kernel and the C client, checked while they work; far slower. ASAN_TESTS chooses other tests, or fewer.
ASAN_TESTS ?= tests/physics tests/components tests/robustness tests/client tests/simulation/test_simulation.py
asan: setup
	scripts/asan -q -n auto $(ASAN_TESTS)

lint: setup
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check --quiet .

types: setup
	$(VENV)/bin/mypy

# A million frames with clients that come, go, die and talk nonsense, two hundred interrupted recordings, and three thousand
# random runs on both lanes: half an hour.
soak: setup
	$(VENV)/bin/python -m tests.robustness.soak
	$(VENV)/bin/python -m tests.server.lane_trials

# What a frame costs, against what the machine can do and beside others: writes docs/performance.md.
bench: $(VENV)/compared
	$(VENV)/bin/python -m benchmarks.performance

# All other tables, one after the other.
tables: setup
	for name in $(BENCHMARKS); do echo "== $$name"; $(VENV)/bin/python -m benchmarks.$$name || exit 1; done

# How true the simulation is, against physics, MuJoCo and PyBullet: writes docs/fidelity.md. Ten minutes of every robot take the
# longest; `python -m benchmarks.fidelity --engines ubersim` leaves the others' figures as they are.
fidelity: $(VENV)/compared
	$(VENV)/bin/python -m benchmarks.fidelity

$(VENV)/compared: $(VENV)/installed
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --editable '.[bench]'
	touch $@

# The documentation's pictures of the live page, of plots and of marks; look at each. PICTURES chooses some.
pictures: setup $(VENV)/tested
	$(VENV)/bin/python -m scripts.pictures $(PICTURES)

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
