#!/bin/sh
# Installs grove for Linux or macOS: the program of a release, if there is one for this machine, whose checksum it verifies; otherwise by cargo.
#   sh install.sh [--to FOLDER] [--version VERSION]
# GROVE_RELEASES is the address of the releases; a copy of this script that comes with a release knows its own.
set -eu
releases=${GROVE_RELEASES:-@RELEASES@}
to=${HOME:?}/.local/bin
version=latest
while [ $# -gt 0 ]; do
    case $1 in
        --to) to=${2:?--to needs a folder}; shift 2 ;;
        --version) version=${2:?--version needs a version}; shift 2 ;;
        *) echo "usage: sh install.sh [--to FOLDER] [--version VERSION]" >&2; exit 2 ;;
    esac
done

by_cargo() {
    echo "$1; trying cargo"
    command -v cargo >/dev/null || { echo "cargo was not found: install Rust from https://rustup.rs, then run this again" >&2; exit 1; }
    # cargo puts programs into the subfolder bin.
    root=$(mktemp -d)
    trap 'rm -rf "$root"' EXIT
    if [ "$version" = latest ]; then
        cargo install taxogrove --locked --root "$root"
    else
        cargo install taxogrove --locked --root "$root" --version "${version#v}"
    fi
    mkdir -p "$to"
    install -m 755 "$root/bin/grove" "$to/grove"
    exit 0
}

case $(uname -s)-$(uname -m) in
    Linux-x86_64) target=x86_64-unknown-linux-musl ;;
    Linux-aarch64 | Linux-arm64) target=aarch64-unknown-linux-musl ;;
    Darwin-arm64) target=aarch64-apple-darwin ;;
    Darwin-x86_64) target=x86_64-apple-darwin ;;
    *) by_cargo "there is no release for this machine" ;;
esac
case $releases in
    https://* | file://*) ;;
    *) by_cargo "the address of the releases is not known" ;;
esac
if [ "$version" = latest ]; then from=$releases/latest/download; else from=$releases/download/$version; fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
file=grove-$target.tar.gz
for name in "$file" "$file.sha256"; do
    curl --proto '=https,file' --tlsv1.2 --fail --silent --show-error --location --output "$folder/$name" "$from/$name" \
        || by_cargo "$from/$name cannot be fetched"
done
cd "$folder"
if command -v sha256sum >/dev/null; then sha256sum --check --quiet "$file.sha256"; else shasum -a 256 --check --quiet "$file.sha256"; fi
tar -xzf "$file"
mkdir -p "$to"
install -m 755 grove "$to/grove"
echo "installed $("$to/grove" --version) as $to/grove"
case :$PATH: in
    *:"$to":*) ;;
    *) echo "add $to to your PATH to run it as grove" ;;
esac
