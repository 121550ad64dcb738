#!/bin/sh
# Counts the work of the fused branch in its machine code (research/roofline), and compares it with
# research/roofline/counts.txt, and that of the kernels with Hopper's own instructions with pairs.txt, if
# these were written with the same nvcc. --record FILE writes one of the two (default: counts.txt).
set -eu
cd "$(dirname "$0")/.."
compiler=$(nvcc --version | sed -n 's/.*release .*, V\([0-9.]*\).*/\1/p')
now=$(mktemp)
trap 'rm -f "$now" "$now.recorded" "$now.lines"' EXIT
count() { echo "# nvcc $compiler" && go run -C research ./roofline --fatbins ../kernels/fatbin --record "$1"; }
if [ "${1:-}" = --record ]; then
	counts=research/roofline/${2:-counts.txt}
	count "${2:-counts.txt}" >"$now"
	cp "$now" "$counts"
	echo "$counts: $(grep -c sm_ "$counts") parts of kernels"
	exit
fi
for file in counts.txt pairs.txt; do
	counts=research/roofline/$file
	if [ "$(head -1 "$counts")" != "# nvcc $compiler" ]; then
		echo "not compared: $counts was written with $(sed -n '1s/# *//p' "$counts"), found nvcc $compiler"
		continue
	fi
	count $file >"$now"
	# Compare the lines of the GPUs that were compiled for.
	gpus=$(awk '/sm_/ { print $2 }' "$now" | sort -u | xargs)
	awk '/sm_/ { $1 = $1; print }' "$now" >"$now.lines"
	awk -v gpus=" $gpus " 'index(gpus, " " $2 " ") { $1 = $1; print }' "$counts" >"$now.recorded"
	if ! diff "$now.recorded" "$now.lines"; then
		echo "instructions differ from $counts (<); if the change is intended, run scripts/registers.sh and scripts/instructions.sh with --record" >&2
		exit 1
	fi
	echo "instructions as recorded: $gpus, $(wc -l <"$now.lines") parts of kernels"
done
