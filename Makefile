# `make test` is the one command that says whether a change is good. It needs cargo with clippy and rustfmt, and uses
# cargo-nextest where it is installed.
.PHONY: test format lint docs unit peers

test: format lint docs unit

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

# The kernels of grove-tree beside other libraries, as ratios in one run. Some minutes; not a test.
peers:
	bench/peers/run
