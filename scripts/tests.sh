#!/usr/bin/env bash
# Writes docs/tests.csv: the seconds of CPU of each package's tests, slowest first, without those of compiling
# them. Seconds of CPU depend less than those on the clock on what else the machine does.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TIMEFORMAT='%U %S'
for package in $(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./...); do
	go test -c -o "$work/test" "$package"
	dir=$(go list -f '{{.Dir}}' "$package")
	{ time (cd "$dir" && "$work/test" >"$work/out" 2>&1) || { tail -n 30 "$work/out" && exit 1; }; } 2>"$work/time"
	awk -v package="${package#*/acqnp/acqnp/}" '{ printf "%s,%.1f\n", package, $1 + $2 }' "$work/time" >>"$work/rows"
done
{
	echo "package,cpu_seconds"
	sort -t, -k2,2 -rn "$work/rows"
} >docs/tests.csv
