# `make demo` runs the main job on a built-in sample; `make test` passes the tests. Both do their own set-up.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
EXTRAS := app,audit,files,postgres,report,spark,test,dev,docs
JOBS   ?= auto

.PHONY: setup demo test test-oldest check format bench bench-all experiments docs dist-check chaos clean

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[$(EXTRAS)]"
	$(BIN)/withhold warm --shared
	touch $@

demo: setup
	$(BIN)/withhold demo

test: setup check
	$(BIN)/python -m pytest -n $(JOBS)

test-oldest: # the tests that meet the engine, on the oldest DuckDB that is supported
	test -x .venv-oldest/bin/python || $(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --editable ".[audit,files,postgres,test]" "duckdb==1.4.*"
	.venv-oldest/bin/python -m pytest -n $(JOBS) tests/engines tests/audit tests/test_release.py tests/test_templates.py

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup # speed kept: ratios beside a yardstick, compared with benchmarks/ratios.json; UPDATE=1 commits to new ones
	$(BIN)/python -m benchmarks.ratios $(if $(UPDATE),--update)

bench-all: setup # every benchmark of the manual; needs the data of WITHHOLD_DATA
	$(BIN)/python -m benchmarks

experiments: setup # every table and figure of the papers; QUICK=1 for a short run, DATA=folder, NAMES="rules_fig9 thesis"
	$(BIN)/python -m experiments $(NAMES) $(if $(QUICK),--quick) $(if $(DATA),--data $(DATA))

docs: setup # the manual as a site, in docs/_build/html; a warning or a broken link inside is an error
	$(BIN)/sphinx-build -W --keep-going -n -E -q -b html docs docs/_build/html

dist-check: setup # the wheel, in an environment of its own, without this repository
	$(BIN)/python tests/wheel/check_wheel.py

chaos: setup # bad weather for an hour, or MINUTES=; BIG=1 adds a file of 20 GB on 4 GB of memory; the log is chaos.log
	$(BIN)/python -m tests.chaos --minutes $(or $(MINUTES),60) $(if $(BIG),--big)

clean:
	rm -rf $(VENV) .venv-oldest build dist docs/_build .mypy_cache .ruff_cache
