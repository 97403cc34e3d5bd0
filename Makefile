# make run: everything up, at http://127.0.0.1:8000. make test: the whole suite in three processes;
# make test ARGS="-n 0 tests/arf_site/test_pipelines.py -x": one file, in one.

# The first Python of at least 3.11 that runs; `make PYTHON=…` names another.
PYTHON ?= $(shell for python in python3.11 python3.12 python3.13 python3; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$python; break; }; done)
VENV := .venv/bin/python
# Bytecode is kept even where the environment forbids it: each process would compile anew all that it loads.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: run test lint messages

run: .venv/.installed
	@exec $(VENV) manage.py up

test: .venv/.installed
	$(VENV) -m pytest -n 3 --dist loadfile --no-loadscope-reorder $(ARGS)

lint: .venv/.installed
	$(VENV) -m ruff check .

messages: .venv/.installed
	$(VENV) manage.py compilemessages --ignore=.venv

# Made anew only when requirements.txt has changed. Python compiles what it uses: compiling all costs half a minute.
.venv/.installed: requirements.txt
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed."; exit 1; }
	@test -x $(VENV) || $(PYTHON) -m venv .venv
	@echo "Installing requirements.txt into .venv …"
	@$(VENV) -m pip install --quiet --disable-pip-version-check --no-compile --requirement requirements.txt
	@touch $@
