# Everything a person does with a checkout. `make help` lists it.
SHELL := /bin/bash
PYTHON ?= python3
PY := .venv/bin/python
SERVE ?= 1
DATA ?= .data

# The Procfile's commands are found in .venv, from whichever of the targets they are started.
export PATH := $(CURDIR)/.venv/bin:$(PATH)

# Every process would compile the whole product again: with this variable, which some containers set, Python keeps no compiled module.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo run migrate docs reference messages screenshots test test-browser test-simulations test-data coverage test-migrations test-services test-spark fuzz-api lint audit fuzz chaos load mutation quality bench browser lock format clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/.ready ## Make .venv with everything that the others need
.venv/.ready: requirements-dev.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Vertex needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Name another with PYTHON=python3.12")'
	@echo "Installing the pinned packages into .venv …"
	@test -x $(PY) || $(PYTHON) -m venv .venv
	@set -o pipefail; PYTHONUNBUFFERED=1 $(PY) -m pip install --disable-pip-version-check --require-hashes --use-pep517 --progress-bar off -r requirements-dev.lock | \
	  { n=0; all=$$(grep -c == requirements-dev.lock); while read -r word rest; do \
	    case $$word in Collecting|Requirement) n=$$((n + 1)); printf '\r  %s of %s packages' $$n $$all;; \
	      Installing) printf '\n  Unpacking them …\n';; esac; done; }
	@touch $@

demo: setup build/help/index.html ## Fetch, cluster, learn, extract the demo site; CSV; dashboard (SERVE=0: stop after the CSV; BY_HAND=1: you do the steps)
	@$(PY) manage.py migrate --verbosity 0
	@$(PY) manage.py demo $(if $(filter 0,$(SERVE)),--no-serve) $(if $(BY_HAND),--by-hand)

run: setup migrate build/help/index.html ## Start web, worker and beat; Ctrl-C stops them
	@$(PY) manage.py check_port && $(PY) -m honcho start

migrate: setup ## Bring the database up to date
	@$(PY) manage.py migrate --verbosity 0

docs: setup ## Build the documentation into build/help, where the dashboard serves it under /help/
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --quiet --strict && echo "The documentation is in build/help. The dashboard serves it under /help/."

# What is under /help/ when the dashboard is served; without it, the text of the documentation is shown.
build/help/index.html: .venv/.ready mkdocs.yml $(shell find docs -type f) $(wildcard *.md)
	@echo "Building the documentation …"
	-@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --quiet

reference: setup ## Write docs/reference/ from the code: commands, API, Python client
	@$(PY) -m tests.guide.reference

messages: setup ## Collect the texts to translate into locale/ and compile it (needs the package gettext)
	@$(PY) -m tests.translations

screenshots: setup browser ## Make the pictures of the guides while `make demo` runs: make screenshots PASSWORD=… (URL=…)
	@$(PY) -c 'import PIL' 2>/dev/null || $(PY) -m pip install --quiet --disable-pip-version-check 'pillow>=12' || exit 1
	@$(PY) -m tests.guide.screenshots --password "$(PASSWORD)" --url "$${URL:-http://127.0.0.1:8000}"

# Some tests wait for a server or a limit, so there are three workers for two cores. Files are taken in their order, which has the long ones early.
test: setup browser ## Run the suite, with the main job in a browser (test-browser, test-simulations and test-data run the others)
	$(PY) -m pytest -n 3 --dist loadfile --no-loadscope-reorder --rerun-show-tracebacks -m 'not slow and not data and not simulation and (not e2e or journey)'

test-browser: setup browser ## Run the browser tests that make test leaves out
	$(PY) -m pytest -n 2 --dist loadfile --rerun-show-tracebacks -m 'e2e and not journey and not slow'

test-simulations: setup ## Play months of a site through, kill workers at every step, fill much memory
	$(PY) -m pytest -n 2 --dist load -m 'simulation and not slow'

test-data: setup ## Run the tests that need the evaluation pages in .data, if they are there
	@test -d .data || { echo "Skipped: there are no evaluation pages in .data."; exit 0; }; $(PY) -m pytest -n 2 --dist loadfile -m 'data and not slow'

coverage: setup browser ## Run the suite with all browser tests, count by package which branches of algorithms and services no test takes; fail under the floor
	$(PY) -m pytest -n 2 --dist loadfile --cov --cov-report=html:var/coverage
	$(PY) -m tests.branches --floor

# Left out are what a browser does with a page, processes that have an SQLite database of their own, and matrices that ask for every screen (roles,
# teams, languages, long names, numbers of queries, style sheets) or send odd requests: they would be the same again.
SAME := tests/services/core/test_killed_worker.py tests/annotations/test_access.py tests/annotations/test_hostile_requests.py \
  $(addprefix tests/views/core/test_,access.py help.py languages.py longest_names.py number_of_queries.py stylesheets.py teams.py)
SERVICES := tests/models tests/services tests/views tests/annotations --ignore-glob='*_browser.py' $(addprefix --ignore=,$(SAME))

test-migrations: setup ## Take filled databases to earlier versions and forward again (minutes)
	$(PY) -m pytest -m slow tests/models

test-services: setup ## Run the tests that use the database again on PostgreSQL, if it answers
	@url=$$($(PY) -m tests.servers) || { \
	  echo "Skipped on PostgreSQL: $$($(PY) -m pytest --collect-only -qq -m 'not e2e and not slow' $(SERVICES) 2>/dev/null | awk -F ': ' '{n += $$2} END {print n}') tests."; exit 0; }; \
	echo "On PostgreSQL:"; VERTEX_DATABASE_URL=$$url $(PY) -m pytest -n 2 --dist loadfile -m 'not e2e and not slow' $(SERVICES)

test-spark: setup ## Run the tests of the jobs on Spark, with a Spark of their own (450 MB, and Java 17)
	@command -v java >/dev/null || { echo "Skipped: Spark needs Java 17 or newer, and there is no java here."; exit 0; }; \
	$(PY) -c 'import pandas, pyspark' 2>/dev/null || $(PY) -m pip install --quiet --disable-pip-version-check 'pyspark>=4' 'pandas>=2.2,<3' || exit 1; \
	VERTEX_TEST_SPARK=1 $(PY) -m pytest -p no:xdist tests/vertex_spark

fuzz-api: setup ## Send odd requests to the API of a running dashboard: make fuzz-api TOKEN=vxa_… (changes what the token may change)
	@$(PY) -c 'import schemathesis' 2>/dev/null || $(PY) -m pip install --quiet --disable-pip-version-check 'schemathesis>=4.32' || exit 1
	.venv/bin/schemathesis run $${VERTEX_URL:-http://127.0.0.1:8000}/api/v1/openapi.json -H "Authorization: Bearer $(TOKEN)" \
	  --max-examples $${EXAMPLES:-10} --phases coverage,fuzzing --exclude-operation-id delete_site --exclude-checks positive_data_acceptance

lint: setup ## ruff, bandit, mypy, import-linter, djade, tsc
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m bandit --quiet --recursive vertex extraction annotations vertex_spark --severity-level medium --skip B608,B611 --exclude '*/migrations/*'  # ruff looks for SQL made of texts, too (S608, S611)
	$(PY) -m mypy
	.venv/bin/lint-imports
	.venv/bin/djade --target-version 5.2 --check $$(git ls-files 'templates/*.html')
	$(PY) -m tests.js.check

audit: setup ## Compare the pinned packages with the known vulnerabilities (needs the network)
	@$(PY) -c 'import pip_audit' 2>/dev/null || $(PY) -m pip install --quiet --disable-pip-version-check 'pip-audit>=2.10'
	$(PY) -m pip_audit --requirement requirements.lock --require-hashes --disable-pip

SEED ?= 1
SECONDS_LIMIT ?= 60

fuzz: setup ## Try made inputs for SECONDS_LIMIT with each fuzzer (SEED makes others)
	$(PY) -m tests.fuzz --seconds $(SECONDS_LIMIT) --seed $(SEED)

chaos: setup ## Inject faults at random for SECONDS_LIMIT and compare what is left with a calm day (SERVERS=1: on PostgreSQL, Redis and S3)
	@$(PY) -m tests.chaos --seed $(SEED) --seconds $(SECONDS_LIMIT) $(if $(SERVERS),--servers)

load: setup ## 50 editors and 10 operators for SECONDS_LIMIT while records are extracted
	@$(PY) -m tests.load --seconds $(SECONDS_LIMIT) $(if $(SERVERS),--servers)

mutation: setup ## Change operators of the algorithms for SECONDS_LIMIT and count which changes the tests notice
	@$(PY) -m tests.mutation --seconds $(SECONDS_LIMIT) --seed $(SEED)

format: setup ## Bring the code into the form that lint wants
	$(PY) -m ruff check --fix --quiet .
	$(PY) -m ruff format --quiet .
	-.venv/bin/djade --target-version 5.2 $$(git ls-files 'templates/*.html')

browser: setup ## Find or bring a Chromium for the journeys
	@$(PY) -m tests.e2e.browser

quality: setup ## Scores on the evaluation pages in DATA (default .data)
	@$(PY) -m tests.quality $(DATA)

bench: setup ## Speed, as ratios within one run
	@$(PY) -m tests.benchmarks

lock: setup ## Pin the newest packages that pyproject.toml allows
	$(PY) -m piptools compile --quiet --upgrade --generate-hashes --strip-extras --allow-unsafe --no-header --no-emit-index-url --no-emit-find-links --no-emit-trusted-host -c constraints.txt -o requirements.lock pyproject.toml
	$(PY) -m piptools compile --quiet --upgrade --generate-hashes --strip-extras --allow-unsafe --no-header --no-emit-index-url --no-emit-find-links --no-emit-trusted-host -c constraints.txt -c requirements.lock --extra dev -o requirements-dev.lock pyproject.toml
	$(PY) -m piptools compile --quiet --upgrade --generate-hashes --strip-extras --allow-unsafe --no-header --no-emit-index-url --no-emit-find-links --no-emit-trusted-host -c constraints.txt -c requirements-dev.lock -o deploy/help/requirements.lock deploy/help/requirements.in

clean: ## Remove .venv and caches; var/ (your data) stays
	rm -rf .venv node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
