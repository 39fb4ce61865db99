# Targets carry their help after two hashes; make help lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
export PYTHON ?= python3

PY := .venv/bin/python
DEMO := examples/torchtitan/configs/cpu/llama3_debug-pretrain.yaml

.PHONY: help setup dev demo test test-quick check lint format fuzz bench cluster-shell clean

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 16

setup: ## Make .venv with what primus-cli itself needs
	@scripts/setup.sh core

dev: ## Make .venv with what the tests and checks need, frameworks included
	@scripts/setup.sh dev

demo: setup ## Train a small real model on this machine, in about two minutes
	@PRIMUS_AUTO_INSTALL=1 ./primus-cli direct -- train pretrain --config $(DEMO)

test: dev ## Run every test
	@scripts/test.sh all

test-quick: dev ## Run the tests that start no training, in under 90 seconds
	@scripts/test.sh quick

check: lint test ## Run what continuous integration runs

lint: dev ## shellcheck, shfmt, ruff, mypy
	@scripts/lint.sh

format: dev ## Format shell and Python files in place
	@scripts/lint.sh --fix

fuzz: dev ## Throw random input at the configuration readers for a bounded time
	@$(PY) tests/fuzz/run.py --seconds 600

bench: dev ## Measure Primus beside the framework's own entry (minutes)
	@$(PY) benchmarks/launch.py

cluster-shell: dev ## A shell on a Slurm cluster of four nodes on this machine (as root)
	@$(PY) tests/cluster/slurm_cluster.py shell

clean: ## Remove .venv and caches; never runs, data or checkpoints
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache build dist *.egg-info
