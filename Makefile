# `make check` needs cargo alone (with clippy and rustfmt): format, lints, documentation, and the tests that need no other
# program. `make test` runs everything and decides whether a change is good; it installs what it needs where that is
# missing: PostgreSQL, chromium, packages from PyPI and npm. Both use cargo-nextest if it is installed.
.PHONY: check test services format lint docs unit links workflows foreign stranger browser api python book deny advisories \
	screenshots pages-bench peers python-bench deployment attack release-test long api-long browser-long load soak fuzz fuzz-control

TARGET = $(or $(CARGO_TARGET_DIR),target)

# Runs targets one after the other and prints how long each of them took.
run = for part in $(1); do start=$$(date +%s); $(MAKE) --no-print-directory $$part || exit 1; \
	echo "== make $$part: $$(($$(date +%s) - start)) s"; done
has_postgres = ls /usr/lib/postgresql/*/bin/pg_ctl >/dev/null 2>&1 || command -v pg_ctl >/dev/null

check:
	@{ $(has_postgres); } || echo "PostgreSQL was not found: the tests that need it are skipped"
	@$(call run,format lint docs unit)

# Without PostgreSQL the tests that need it fail, rather than being skipped.
test: export GROVE_TEST_POSTGRES = required
# The program that cargo built must say the same as the one in the wheel.
test: export GROVE_BINARY = $(abspath $(TARGET))/debug/grove
test:
	@$(call run,services format lint docs unit links workflows foreign stranger browser api python)

# What takes too long for `test`: long forms of its tests, attacks, load. About an hour and a half on two cores that do nothing else;
# docs/RELIABILITY.md lists what is in it.
release-test: export GROVE_TEST_POSTGRES = required
release-test:
	@$(call run,services long api-long browser-long attack load deployment deny)

# The tests that are ignored otherwise, one after the other: some of them measure.
long:
	cargo test --release --locked -p grove-store --test durability -- --ignored --skip writer:: --test-threads 1
	cargo test --release --locked -p grove-belief -- --ignored --test-threads 1
	cargo test --release --locked -p grove-campaign --test campaign -- --ignored --test-threads 1
	cargo test --release --locked -p grove-server --test crowds -- --ignored long_ --test-threads 1
	cargo test --release --locked -p taxogrove --test stateless -- --ignored --nocapture --test-threads 1
	cargo test --release --locked -p taxogrove --test served -- --ignored --nocapture --test-threads 1

api-long:
	crates/grove-server/tests/schemathesis/run 200 50

# Accessibility of every page in every state, with up to 1,000 concepts, in light and dark, on a phone and at 200 %.
browser-long:
	GROVE_TEST_PAGES=all crates/grove-server/tests/browser/run access.test.mjs

load:
	cargo bench --locked -p taxogrove --bench load -- --seconds 60

# An hour of load with an overload in it: whether the server's memory and open files stay bounded. Too long for `release-test`.
SOAK_MINUTES = 60
soak:
	cargo bench --locked -p taxogrove --bench load -- SQLite --soak $(SOAK_MINUTES)

services:
	{ $(has_postgres); } || (apt-get update && apt-get install -y postgresql)

format:
	cargo fmt --all --check

lint:
	cargo clippy --workspace --all-targets --locked -- -D warnings

docs:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items --locked

unit:
	if cargo nextest --version >/dev/null 2>&1; then \
		cargo nextest run --workspace --locked; \
		else cargo test --workspace --lib --bins --tests --examples --locked; fi
	cargo test --workspace --doc --locked

# The book's table of contents, and every relative link in the book and the documents.
links:
	scripts/check-links

# The workflows of hosted CI. The first run installs actionlint from PyPI.
workflows:
	scripts/check-workflows

# Every export, read back by other people's tools. The first run installs them (python3 with venv, GraphViz).
foreign:
	crates/grove-formats/tests/foreign/run

# From twelve words to a hierarchy, by keys in a terminal, with the skosify that `foreign` installs.
stranger:
	test -x $(TARGET)/foreign/venv/bin/python || $(MAKE) foreign
	crates/grove/tests/stranger/run

# The pages in a real browser. The first run installs chromium and two packages from npm.
browser:
	crates/grove-server/tests/browser/run

# The API against its own document, by schemathesis. The first run installs it from PyPI.
api:
	crates/grove-server/tests/schemathesis/run

# The Python package: a wheel of the dev profile in target/wheels, installed into a fresh environment, its tests, its notebook, its types. The first run
# installs maturin and uv, and what the tests compare with, from PyPI.
python:
	python/check

# The book as HTML, in target/book.
book: links
	command -v mdbook >/dev/null || cargo install mdbook --locked
	mdbook build book --dest-dir "$(abspath $(TARGET))/book"

# Licences, banned crates and where crates come from; deny.toml has the rules.
deny:
	command -v cargo-deny >/dev/null || cargo install cargo-deny --locked
	cargo deny --workspace --all-features --locked check licenses bans sources

# Known vulnerabilities, from a database that is fetched anew: what it finds depends on the day, so it is no part of `test`.
advisories:
	command -v cargo-deny >/dev/null || cargo install cargo-deny --locked
	cargo deny --workspace --all-features check advisories

# The container file, the units and the compose file. The first run installs hadolint from PyPI.
deployment:
	scripts/check-deployment

# Attacks on a running server: floods of logins, slow clients, guesses over three servers, stopping under load. Some minutes.
attack:
	ulimit -n 20000 && cargo bench -p taxogrove --bench attack

# How fast the owner's pages are in Chromium, with up to 10,000 concepts. Some minutes, on a machine with nothing else to do.
pages-bench:
	crates/grove-server/tests/browser/bench

# Pictures of every page, for the documents.
screenshots:
	crates/grove-server/tests/browser/screenshots

# The kernels of grove-tree beside other libraries, as ratios in one run. Some minutes; not a test.
peers:
	bench/peers/run

# Fuzzing: every target for ten minutes. fuzz/README.md says what each of them checks.
FUZZ_SECONDS = 600
FUZZ_TARGETS = concepts hierarchy votes card_sort placements tags bodies trees tickets
fuzz: fuzz-control
	@set -e; for target in $(FUZZ_TARGETS); do start=$$(date +%s); mkdir -p fuzz/corpus/$$target; \
		seeds=crates/grove-formats/tests/corpus/$$target; \
		RUSTC_BOOTSTRAP=1 cargo fuzz run $$target fuzz/corpus/$$target $$seeds -- \
			-max_total_time=$(FUZZ_SECONDS) -timeout=5 -rss_limit_mb=1024 -max_len=4096 -print_final_stats=1; \
		echo "== fuzz $$target: $$(($$(date +%s) - start)) s"; done

# The control of fuzzing: a fault planted into a target has to be found within a minute, from nothing.
fuzz-control:
	cargo fuzz --version >/dev/null 2>&1 || cargo install cargo-fuzz --locked
	mkdir -p $(abspath $(TARGET))
	RUSTC_BOOTSTRAP=1 cargo fuzz build --features planted trees
	RUSTC_BOOTSTRAP=1 cargo fuzz run --features planted trees -- -max_total_time=60 -artifact_prefix=$(abspath $(TARGET))/ 2>&1 \
		| grep -m 1 "the planted fault"

# The kernels from Python beside scipy, numpy, numba and others, as ratios in one run, with a release wheel. Some minutes; not a test.
python-bench:
	python/bench/run
