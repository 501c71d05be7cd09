# `make test` and `make demo` are each enough on a fresh machine with Python 3.10 to 3.13 and make.
VENV ?= .venv
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11 python3.10 python; do \
	$$python -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null \
	&& echo $$python && break; done)
PY := $(VENV)/bin/python
TF2TOWERS := $(PY) -m tf2towers
export TF_CPP_MIN_LOG_LEVEL ?= 2
# the programs here are for the Keras 3 that TensorFlow brings
unexport TF_USE_LEGACY_KERAS

# three processes at once: those of TensorFlow first, each fills the time in which another waits for its cluster
MAKEFLAGS += --jobs=3

.PHONY: help docs test test-plain test-tensorflow test-trainers test-proofs test-long test-versions coverage soundness bench test-gpu growth \
	demo demo-ps lint format tables clean

help:
	@echo "make test    install into $(VENV), run the tests, ruff and mypy"
	@echo "make test-long  more of the same: further flags, optimizers and clusters"
	@echo "make demo    migrate a tower trainer, compare both bit by bit, and with modern/ side by side"
	@echo "make demo-ps the same for a parameter-server trainer, as clusters of processes"
	@echo "make test-versions  what migrated scripts stand on, on TensorFlow $(VERSIONS)"
	@echo "make coverage       the tests, with the lines of tf2towers that they and their processes run"
	@echo "make soundness      thousands of variants of small scripts, migrated and run beside the originals"
	@echo "make growth  what things cost as the work grows: build/growth.md"
	@echo "make bench   originals, migrated programs and modern ones take turns: docs/performance.md"
	@echo "make test-gpu  the demo, scripts of the soundness suite and a row of the bench, where a GPU is"
	@echo "make lint    ruff, mypy, and the links of the docs"
	@echo "make docs    the docs as a site: build/site/index.html"
	@echo "make format  let ruff format the code"
	@echo "make tables  write the rename tables again from the installed TensorFlow"

$(VENV)/.installed: pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.10 to 3.13 is needed; PYTHON=/path/to/python says where it is" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --upgrade pip
	$(PY) -m pip install --quiet --editable '.[all,dev]'
	@touch $@

test: test-tensorflow test-trainers test-proofs test-plain lint

# what the others print is shown whole, when they end. Status 5: none of $(TESTS) is of the kind
test-tensorflow: $(VENV)/.installed
	$(PY) -m pytest -m "tensorflow and not (trainers or proofs or long)" $(TESTS) || test $$? = 5

test-trainers test-proofs test-plain: test-%: $(VENV)/.installed
	@$(PY) -m pytest -m $(KIND_$*) $(TESTS) > $(VENV)/$@.log 2>&1 || test $$? = 5; \
	status=$$?; cat $(VENV)/$@.log; exit $$status

KIND_trainers = "tensorflow and trainers and not long"
KIND_proofs = "tensorflow and proofs and not long"
KIND_plain = "not tensorflow"

# what is begun as many processes in clusters, and proved by fewer of them above
test-long: $(VENV)/.installed
	$(PY) -m pytest -m long $(TESTS)

# the declared range is what has run here: oldest, one in the middle, newest; modern/ is for Keras 3, from 2.16 on
VERSIONS ?= 2.15.1 2.18.1 2.21.0
test-versions:
	@for version in $(VERSIONS); do \
		echo "TensorFlow $$version"; \
		$(PYTHON) -m venv .venv-$$version && \
		.venv-$$version/bin/python -m pip install --quiet "tensorflow==$$version" "tf_keras==$${version%.*}.*" tf_slim libcst scikit-learn pytest && \
		PYTHONPATH=$(CURDIR) .venv-$$version/bin/python -m pytest -q -m "not long" tests/soundness tests/runtime \
			$$(test $$version = 2.15.1 || echo tests/modern) || exit 1; \
	done

# a script that `verify` or `compare` runs may write to /dev, so that what its process counts can be below /dev/shm
COUNTED := $(or $(wildcard /dev/shm),.)/tf2towers-coverage
coverage: $(VENV)/.installed
	$(PY) -m pip install --quiet 'coverage>=7.10.7'
	rm -rf $(COUNTED) .coverage && mkdir $(COUNTED)
	COVERAGE_FILE=$(COUNTED)/.coverage $(PY) -m coverage run -m pytest -q -m "not long" $(TESTS) || test $$? = 5
	$(PY) -m coverage combine --quiet $(COUNTED)
	$(PY) -m coverage report --sort=cover

soundness: $(VENV)/.installed
	$(PY) tests/soundness/campaign.py
	$(PY) tests/soundness/mistakes.py

# LEGACY_PYTHON: an interpreter with TensorFlow 1.15, where there is one
bench: $(VENV)/.installed
	@mkdir -p build
	$(PY) benchmarks/training.py --keep build/bench.json --page docs/performance.md $(if $(LEGACY_PYTHON),--legacy-python $(LEGACY_PYTHON))

# status 2 without a GPU
test-gpu: $(VENV)/.installed
	$(PY) benchmarks/gpu.py

growth: $(VENV)/.installed
	$(PY) benchmarks/growth.py

# the flags of a trainer that ends soon
TOWERS = legacy/cifar10_towers.py
TOWERS_FLAGS = --num_gpus=2 --batch_size=16 --batch_norm --log_every=25
demo: $(VENV)/.installed
	rm -rf demo
	$(TF2TOWERS) migrate $(TOWERS) -o demo/migrated
	$(TF2TOWERS) verify --steps 20 --report demo/report $(TOWERS) demo/migrated/cifar10_towers.py -- \
		$(TOWERS_FLAGS) --max_steps=20 --decay_steps=10 --summary_every=10
	$(TF2TOWERS) compare --report demo/modern $(TOWERS) modern/cifar10_mirrored.py -- \
		$(TOWERS_FLAGS) --log_every=1 --max_steps=60 --train_dir={scratch}

CLUSTER = legacy/mnist_supervisor.py
CLUSTER_FLAGS = --batch_size=50 --hidden_units=100 --log_every=100
demo-ps: $(VENV)/.installed
	rm -rf demo-ps
	$(TF2TOWERS) migrate $(CLUSTER) -o demo-ps/migrated
	for synchronous in 0 1; do \
		$(TF2TOWERS) verify --workers 2 --steps 10 $(CLUSTER) demo-ps/migrated/mnist_supervisor.py -- \
			$(CLUSTER_FLAGS) --train_steps=200 --issync=$$synchronous || exit; \
	done
	$(TF2TOWERS) compare --report demo-ps/report $(CLUSTER) demo-ps/migrated/mnist_supervisor.py -- \
		$(CLUSTER_FLAGS) --train_steps=400 --learning_rate=0.003 --issync=0 --log_dir={scratch}

lint: $(VENV)/.installed
	@$(PY) -m ruff check . && $(PY) -m ruff format --check . && $(PY) -m mypy
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict --quiet

docs: $(VENV)/.installed
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict --quiet

format: $(VENV)/.installed
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

tables: $(VENV)/.installed
	$(PY) tables/dump_tf2.py
	$(PY) tables/make_symbols.py

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
