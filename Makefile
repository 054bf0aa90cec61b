# TuneBench. `make run` is all that is needed on a bare Debian 12; `make help` lists the rest.
SHELL := /bin/bash
PYTHON ?=
export PYTHON
# The package lies in `app`; main.py finds it there by itself.
export PYTHONPATH := app
VENV := .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help setup setup-test cluster run test test-all lint soak fuzz mutants golden golden-write golden-diff calibrate faults record-faults bench screenshots gallery lock bundle wheel clean distclean

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|' 2>/dev/null \
	  || sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1  \2/p' $(MAKEFILE_LIST)

setup:  ## install what the program needs (Debian packages as root, .venv)
	@packaging/setup.sh run

setup-test:  ## install what the tests need beside it
	@packaging/setup.sh test

cluster: setup  ## install what works beyond one machine: Dask, and archives on S3-like stores
	@packaging/setup.sh cluster

run: setup  ## open the demo engagement; without a display: build it and write its reports and page pictures
	@$(VENV) packaging/run_demo.py

# What is compiled is kept, also where the shell forbids it: else each worker of each run and every program that a test starts
# would compile all of it again, which is half a minute per worker.
PYTEST := env -u PYTHONDONTWRITEBYTECODE QT_QPA_PLATFORM=offscreen $(VENV) -m pytest
# Files in the order of tests/conftest.py, the longest first. Three workers on two cores: much of what the window does is wait.
SPREAD := -n 3 --dist loadfile --no-loadscope-reorder

# First what only computes; then, whatever came of that, what waits for real servers and minds the time, with nothing busy
# beside it.
define both_halves
trap 'exit 130' INT; failed=0; \
	$(PYTEST) $(SPREAD) --part $(1) -m "not alone" || failed=$$?; \
	$(PYTEST) $(SPREAD) --part $(1) -m alone || failed=$$?;
endef

test: setup-test  ## the tests of every change, with the static checks; ARGS="tests/ui -x" for some of all
ifdef ARGS
	@$(PYTEST) $(ARGS)
else
	@$(call both_halves,quick) exit $$failed
endif

test-all: setup-test  ## the rest of the tests, before anything is merged: damage, crashes, walks, packing, all golden outputs
	@$(call both_halves,thorough) $(VENV) -m tests.golden.outputs || failed=$$?; exit $$failed

lint: setup-test  ## ruff, mypy and the import contracts
	@$(VENV) -m ruff check .
	@$(VENV) -m ruff format --check .
	@$(VENV) -m mypy
	@PYTHONPATH=.:app .venv/bin/lint-imports --no-logo

soak: setup-test  ## the long endurance tests
	@$(PYTEST) tests/soak tests/fuzz/test_bounds.py --soak $(ARGS)

FUZZ_SECONDS ?= 600
export FUZZ_SECONDS FUZZ_SEED FUZZ_PARSERS
fuzz: setup-test  ## damage captures for FUZZ_SECONDS (600) and see that every parser bears it
	@$(PYTEST) tests/fuzz --soak -s -k long_time $(ARGS)

mutants: setup-test  ## which of 200 small mutations no test notices; ARGS="--sample 60 --seed 7 store" for some
	@QT_QPA_PLATFORM=offscreen $(VENV) -m tests.mutants $(ARGS)

golden: setup-test  ## whether what a person sees of some projects is as tests/golden/seen.toml says; ARGS="weeks oracle" for some
	@$(VENV) -m tests.golden.outputs $(ARGS)

golden-write: setup-test  ## write tests/golden/seen.toml anew; the commit's message says why (tests/golden/README.md)
	@$(VENV) -m tests.golden.outputs --write $(ARGS)

golden-diff: setup-test  ## what of it differs from the revision BASE (HEAD): cells, lines, pictures of pages; ARGS="weeks" for some
	@$(VENV) -m tests.golden.difference $(or $(BASE),HEAD) $(ARGS)

calibrate: setup-test  ## how often verdicts are right where the truth is known; writes tests/calibration/RESULTS.md; ARGS="--share 0.1"
	@$(VENV) -m tests.calibration $(ARGS)

faults: setup-test  ## how often the cause of recorded and made faults is told first, and healthy hosts are left alone; writes tests/faults/RESULTS.md
	@$(VENV) -m tests.faults

record-faults: setup-test  ## make real faults on this machine (as root) and record them anew; ARGS="--seconds 5 --into FOLDER NAME..." for some
	@$(VENV) -m tests.faults.record $(ARGS)

bench: setup-test  ## measure import, reopening, start-up and capture over SSH; writes tests/perf/RESULTS.md
	@$(VENV) -m tests.perf.benchmark $(ARGS)

screenshots: setup  ## pictures of every page of the demo, both languages, into build/demo/screenshots
	@$(VENV) packaging/run_demo.py --pictures

gallery: setup-test  ## small pictures of the demo's report and slides, both languages, into tests/reports/gallery
	@mkdir -p build && rm -f build/gallery.tune && $(VENV) main.py demo build/gallery.tune
	@$(VENV) -m tests.reports.gallery build/gallery.tune

lock:  ## renew requirements*.txt, with digests, from packaging/requirements; ARGS="--upgrade-package NAME"
	@packaging/lock.sh $(ARGS)

bundle: setup  ## a stand-alone folder in dist/TuneBench (PyInstaller)
	@packaging/bundle.sh

wheel: setup-test  ## the library, to be installed with pip, in dist/
	@$(VENV) -m hatchling build -t wheel

clean:  ## remove what was built (the demo engagement too), keep .venv
	@rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

distclean: clean  ## remove .venv as well
	@rm -rf .venv
