#!/bin/sh
# Runs every fuzz test for a time or a number of inputs, such as 1m or 5000x; default 10s.
set -eu
cd "$(dirname "$0")/.."
time=${1:-10s}
grep -rl '^func Fuzz' --include='*_test.go' . | while read -r file; do
	sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' "$file" | while read -r name; do
		echo "$name in $(dirname "$file")"
		go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" -fuzzminimizetime 20x "$(dirname "$file")"
	done
done
