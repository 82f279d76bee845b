#!/bin/sh
# Continues a study on damaged copies of the store, 1000 copies by default:
#   tests/damaged/continue.sh [COPIES [FIRST]]
# The copies are numbered from FIRST; the number of a copy is the seed of its damage.
set -eu
cd "$(dirname "$0")/../.."
CATHERD_DAMAGED_STORES=${1:-1000} CATHERD_DAMAGED_FIRST=${2:-0} \
    cargo test --workspace --test cli damaged_stores -- --nocapture --include-ignored
