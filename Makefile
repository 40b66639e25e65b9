# `make test` is the one command that says whether a change is good. It needs cargo with clippy and rustfmt, and uses
# cargo-nextest where it is installed. The store is tested on a PostgreSQL that the tests start for themselves; `services`
# installs it where it is missing.
.PHONY: test services format lint docs unit foreign stranger peers browser api screenshots

test: services format lint docs unit foreign stranger browser api

services:
	ls /usr/lib/postgresql/*/bin/pg_ctl >/dev/null 2>&1 || command -v pg_ctl >/dev/null || \
		(apt-get update && apt-get install -y postgresql)

format:
	cargo fmt --all --check

lint:
	cargo clippy --workspace --all-targets --locked -- -D warnings

docs:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items --locked

unit:
	if cargo nextest --version >/dev/null 2>&1; then \
		cargo nextest run --workspace --locked; else cargo test --workspace --all-targets --locked; fi
	cargo test --workspace --doc --locked

# Every export, read back by other people's tools. The first run installs them (python3 with venv, GraphViz).
foreign:
	crates/grove-formats/tests/foreign/run

# From twelve words to a hierarchy, by keys in a terminal, with the skosify that the checks above have installed.
stranger: foreign
	crates/grove/tests/stranger/run

# The pages in a real browser. The first run installs chromium and two packages from npm.
browser:
	crates/grove-server/tests/browser/run

# The API against its own document, by schemathesis. The first run installs it from PyPI.
api:
	crates/grove-server/tests/schemathesis/run

# Pictures of every page, for the documents.
screenshots:
	crates/grove-server/tests/browser/screenshots

# The kernels of grove-tree beside other libraries, as ratios in one run. Some minutes; not a test.
peers:
	bench/peers/run
