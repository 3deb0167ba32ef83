# Everything sets itself up: a fresh machine needs git, python3 (with venv) and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev

.PHONY: demo test coverage security audit check lint types dist editors vsix pictures bench-recall bench-history bench-index bench-startup clean

demo: $(STAMP)  ## the main job on a shipped example: a story in the terminal
	@$(BIN)/anamnesis-lsp demo

test: $(DEV_STAMP) check  ## lint, types, then every test that needs no editor
	$(BIN)/python -m pytest -n auto -m "not editor and not bench and not thorough"

coverage: $(DEV_STAMP)  ## the tests of `test`, measured: a table by room, and floors; whether they pass is for `test` to say
	$(BIN)/coverage erase
	-$(BIN)/coverage run -m pytest -n auto -m "not editor and not bench and not thorough"
	$(BIN)/coverage combine --quiet
	$(BIN)/python tests/coverage_by_room.py

security: $(DEV_STAMP)  ## every vector and every fault: what `test` leaves out for its length too
	$(BIN)/python -m pytest -n auto tests/security tests/unit/test_git_hostile.py

audit: $(DEV_STAMP)  ## pip-audit; DATABASE=<copies of advisory databases> where it reaches none
	$(BIN)/pip install --quiet $(if $(DATABASE),pyyaml packaging,pip-audit)
	$(if $(DATABASE),$(BIN)/python tests/bench/audit.py $(DATABASE) --of anamnesis-lsp,$(BIN)/pip-audit .)

check: lint types

lint: $(DEV_STAMP)
	$(BIN)/ruff check anamnesis_lsp tests docs .ci/dist
	$(BIN)/ruff format --check anamnesis_lsp tests docs .ci/dist

types: $(DEV_STAMP)
	$(BIN)/pyright

dist: $(DEV_STAMP)  ## wheel and sdist: built, looked into, and the wheel installed and run in a fresh environment
	$(BIN)/python .ci/dist

editors: $(DEV_STAMP)  ## the checks in real editors; `.ci/run` installs them first
	$(BIN)/python -m pytest -m editor tests/editors

vsix:  ## the VS Code extension, from its sources; needs Node 20 and npm
	cd editors/vscode && npm install --ignore-scripts --no-package-lock --no-audit --no-fund --silent
	cd editors/vscode && npm run --silent check && npm run --silent build && npm run --silent package

pictures:  ## take over the pictures of the README from the last run of the checks in VS Code
	cp .ci/cache/shots/hover.png .ci/cache/shots/story.png .ci/cache/shots/recalls.png editors/vscode/images/

bench-recall: $(DEV_STAMP)  ## MIRRORS=<bare mirrors> BENCH=<scratch> SHARED=<folder with recall-bench>
	$(BIN)/python tests/bench/bench_recall.py --mirrors "$(MIRRORS)" --bench "$(BENCH)" --shared "$(SHARED)"

bench-history: $(DEV_STAMP)  ## MIRRORS=<bare mirrors> SHARED=<folder with history-bench>
	$(BIN)/python tests/bench/bench_history.py oracle "$(SHARED)/history-bench/methods.jsonl" --mirrors "$(MIRRORS)" \
		--score "$(SHARED)/history-bench/score.py"

bench-index: $(DEV_STAMP)
	$(BIN)/python tests/bench/index_speed.py

bench-startup: $(DEV_STAMP)  ## BESIDE=<folder with jedi-language-server and ruff>, where they are not on PATH
	$(BIN)/python tests/bench/bench_startup.py $(if $(BESIDE),--beside "$(BESIDE)")

$(STAMP): pyproject.toml
	@echo "Setting up $(VENV), once: half a minute"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(DEV_STAMP): pyproject.toml
	@echo "Setting up $(VENV) with what the tests need, once: a minute"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	@touch $@ $(STAMP)

clean:
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis .coverage .coverage.*
