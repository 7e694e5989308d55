# Every target installs what it lacks (scripts/setup) and says so. `make` alone lists them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# One thing at a time: the machine's cores are used inside each step, and the output stays readable.
.NOTPARALLEL:

MODEL := cargo run --quiet --locked --profile explore -p lockstep-model --

##@ Start here

.PHONY: help
help: ## list the targets
	@awk 'BEGIN { FS = ":.*## " } \
		/^##@/ { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: ## build it, and take the tour on six simulated devices
	@scripts/setup build
	@# Built by itself first, so that a first run shows that it is at work and a later one only the tour.
	@cargo build --locked --bin lockstep
	@cargo run --quiet --locked --bin lockstep -- demo

.PHONY: test
test: setup check unit e2e web-smoke chaos-quick simulate-quick explore-quick spec-quick ## everything that fits a few minutes; what CI runs
	@echo "test: ok"

.PHONY: test-full
test-full: test mixed web-full packages simulate chaos crash reconnects fuzz interop spec explore mutants yang-proof ## test, and everything that takes longer
	@echo "test-full: ok"

##@ Parts of test

.PHONY: setup
setup: ## install what is missing (silent when nothing is)
	@scripts/setup

.PHONY: check
check: tools fmt clippy doc deny purity ## read only: format, lints, docs, dependencies, purity

.PHONY: tools
tools:
	@scripts/setup build check

.PHONY: fmt
fmt:
	cargo fmt --all --check

.PHONY: clippy
clippy:
	cargo clippy --quiet --locked --workspace --all-targets -- -D warnings

.PHONY: doc
doc:
	RUSTDOCFLAGS="-D warnings" cargo doc --quiet --locked --workspace --no-deps

.PHONY: deny
deny:
	scripts/deny

.PHONY: purity
purity: ## the dependency trees and sources of the pure crates
	scripts/purity
	scripts/purity --self-test

.PHONY: unit
unit: ## unit and property tests of the workspace
	@scripts/setup build test
	cargo test --quiet --locked --workspace

.PHONY: e2e
e2e: ## real processes, driven by gNMI clients that others wrote
	@scripts/setup build test e2e
	cargo build --quiet --locked --bin lockstep
	cargo build --quiet --locked --profile explore -p lockstep-model
	@# Every node writes down its steps, which are held against the model at the end.
	@# Most of them wait for something to happen, so several files of them go side by side.
	@# One that fails beside the others is tried once more, and named either way: a machine that stood still for a moment is no fault.
	TRACES=1 .tools/venv/bin/pytest -q -rR --maxfail 5 --reruns 1 -n 3 --dist loadfile tests/e2e

.PHONY: web-smoke
web-smoke: ## the page of a real node in a real browser: it is there, it is live, it asks nobody else
	@scripts/setup build web
	cargo build --quiet --locked --bin lockstep
	@# It takes a minute; a browser that does not answer would take for ever.
	timeout 600 node --test web/tests/unit.test.js web/tests/smoke.test.js

.PHONY: web-full
web-full: ## every view of the page in a real browser: each feature, keys, themes, roles, a thousand targets
	@scripts/setup build web
	cargo build --quiet --locked --bin lockstep
	timeout 3600 node --test web/tests/full/*.test.js

.PHONY: chaos-quick
chaos-quick: ## the checks of the chaos run, tried on histories made up to break them; then two minutes of chaos with every fault
	@scripts/setup build test e2e
	cargo build --quiet --locked --bin lockstep
	cargo build --quiet --locked --profile explore -p lockstep-model
	.tools/venv/bin/pytest -q tests/chaos
	.tools/venv/bin/python tests/chaos/run.py --duration 120 --seed 11

.PHONY: simulate-quick
simulate-quick: ## one seed twice, byte for byte; those that once found something; then a few more
	@scripts/setup build
	cargo build --quiet --locked -p lockstep-simulation
	target/debug/lockstep-simulation twice 7
	target/debug/lockstep-simulation kept
	target/debug/lockstep-simulation seeds 8

.PHONY: simulate
simulate: ## whole nodes on a clock that stands still; SEEDS=1000 of them, FIRST=n the first
	@scripts/setup build
	cargo build --quiet --locked --profile explore -p lockstep-simulation
	target/explore/lockstep-simulation seeds $(or $(SEEDS),1000) --first $(or $(FIRST),1)

.PHONY: chaos
chaos: ## nodes, etcd and fifty devices under fire; DURATION=120 seconds, SEED=n for the plan of an earlier run
	@scripts/setup build test e2e
	cargo build --quiet --locked --release --bin lockstep
	cargo build --quiet --locked --profile explore -p lockstep-model
	LOCKSTEP=target/release/lockstep .tools/venv/bin/python tests/chaos/run.py --duration $(or $(DURATION),120) \
		$(if $(SEED),--seed $(SEED))

.PHONY: mixed
mixed: ## three nodes are rolled from an earlier version to this one under load; BASE=commit, else the last of another format level
	@scripts/setup build test e2e
	cargo build --quiet --locked --bin lockstep
	.tools/venv/bin/python tests/e2e/mixed.py $(BASE)

.PHONY: crash
crash: ## power cuts, damaged files and long logs of the store, thousands of each
	@scripts/setup build
	@# Optimised, and an overflow still stops it. What redb says of the damage it finds is part of the test.
	RUST_BACKTRACE=0 cargo test --locked --profile explore -p lockstep-store --lib --test embedded --test records \
		-- --ignored --nocapture

.PHONY: reconnects
reconnects: ## ten thousand connections leave nothing behind
	@scripts/setup build
	LOCKSTEP_RECONNECTS=10000 cargo test --locked -p lockstep-southbound --test reconnects -- --nocapture

.PHONY: fuzz
fuzz: ## tens of thousands of malformed messages to every RPC that a running node has
	@scripts/setup build e2e
	cargo build --quiet --locked --bin lockstep
	LOCKSTEP_FUZZ=2000 .tools/venv/bin/pytest -q -s tests/e2e/test_fuzz.py

.PHONY: interop
interop: ## gNMI clients and servers that others wrote, some built with Go
	@scripts/setup build e2e
	cargo build --quiet --locked --bin lockstep
	scripts/interop

##@ The proof

.PHONY: explore-quick
explore-quick: ## explore the core's states for a minute or two; the table of mutants fits
	@scripts/setup build
	$(MODEL) explore --quick
	$(MODEL) mutants --check docs/mutants.md
	$(MODEL) diagrams --check docs/protocol.md

.PHONY: explore
explore: ## explore the core's states far further
	@scripts/setup build
	$(MODEL) explore

.PHONY: mutants
mutants: ## break the core in each known way; each must be caught (writes docs/mutants.md)
	@scripts/setup build
	$(MODEL) mutants --write docs/mutants.md

.PHONY: diagrams
diagrams: ## draw the pictures of docs/protocol.md from the core's tables
	@scripts/setup build
	$(MODEL) diagrams docs/protocol.md

.PHONY: story
story: ## tell the story of a few transactions, played by the core alone
	@scripts/setup build
	@$(MODEL) demo

.PHONY: yang-proof
yang-proof: ## verdicts on hundreds of thousands of changes, each against the whole; bad input at length
	@scripts/setup build
	@# LOCKSTEP_ROUND=1, 2, … takes other models, changes and input; LOCKSTEP_OPENCONFIG names a folder of those modules.
	cargo test --locked --release -p lockstep-yang --test change --test hostile -- --ignored --nocapture

.PHONY: spec-quick
spec-quick: ## check the smaller configurations of the TLA+ specification
	@scripts/setup spec
	spec/run --quick

.PHONY: spec
spec: ## check every configuration of the TLA+ specification
	@scripts/setup spec
	spec/run

.PHONY: bench
bench: ## the whole comparison with floors and peers, under half an hour (writes docs/performance.md); QUICK=1 for a look
	@scripts/setup build test e2e
	cargo build --quiet --locked --release --bin lockstep --bin lockstep-bench
	@# LOCKSTEP_OPENCONFIG names a folder of OpenConfig's modules; ONLY="commits wide" takes only these.
	.tools/venv/bin/python bench/run.py $(if $(QUICK),--quick) $(if $(ONLY),--only $(ONLY))

##@ Packages

.PHONY: release
release: ## the program with its documentation, service and completions, as an archive in target/dist
	@scripts/setup build
	packaging/release

.PHONY: deb
deb: ## a Debian package of that
	@scripts/setup build package
	packaging/deb/build

.PHONY: packages
packages: ## every way to build what is installed; each program is asked for its version
	@scripts/setup build package
	packaging/packages

##@ While writing

.PHONY: gnmi-rules
gnmi-rules: ## the table of gNMI rules and their tests (writes docs/gnmi-rules.md)
	@scripts/setup e2e
	.tools/venv/bin/python tests/e2e/rules.py --write

.PHONY: reference
reference: ## the reference: configuration, commands, HTTP, gRPC, metrics, errors (writes docs/reference)
	@scripts/setup build e2e
	cargo build --quiet --locked --bin lockstep
	.tools/venv/bin/python tests/e2e/reference.py --write

.PHONY: authorisation
authorisation: ## ask every cell of the table of rights anew (writes docs/authorisation.md)
	@scripts/setup build test
	LOCKSTEP_WRITE=1 cargo test --quiet --locked -p lockstep-northbound --test authorisation

.PHONY: pictures
pictures: ## take the pictures of docs/page.md anew
	@scripts/setup build test web
	cargo build --quiet --locked --bin lockstep
	node web/tests/pictures.js

.PHONY: fix
fix: ## rewrite what fmt and clippy can rewrite
	@scripts/setup check
	cargo clippy --workspace --all-targets --fix --allow-dirty --allow-staged
	cargo fmt --all

.PHONY: trees
trees: ## print the dependency trees of the pure crates
	@scripts/purity --trees
