#!/bin/sh
# Trains sweeps/quick.yaml once in one piece and once with kills in between: both must end with the
# same table. Needs ./acqnp.
set -eu
root=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for way in whole killed; do
	mkdir "$work/$way"
	ln -s "$root/configs" "$root/sweeps" "$work/$way"
done

cd "$work/killed"
for signal in KILL TERM INT KILL; do
	"$root/acqnp" sweep run sweeps/quick.yaml --device cpu --quiet >sweep.log 2>&1 &
	sleep 15
	kill -s "$signal" $!
	wait $! || true
	"$root/acqnp" sweep status sweeps/quick.yaml | sed -n 1p
done
for way in killed whole; do
	cd "$work/$way"
	"$root/acqnp" sweep run sweeps/quick.yaml --device cpu --quiet
	"$root/acqnp" report runs/quick --format csv >table.csv
done
cd "$work"
cmp whole/table.csv killed/table.csv
echo "the same table of $(($(wc -l <whole/table.csv) - 1)) rows"
