#!/bin/sh
# Runs all checks that need a GPU, in the folder that `make gpu-check` fills. It needs neither Go
# nor nvcc.
usage='usage: gpu-check.sh [--gpu N] [--out DIR] [PART...]
Parts, in this order, and the seconds after which each is stopped:
  wrappers    60  every word of kernels/device.h, against plain arithmetic
  operations 180  every kernel, against plain kernels on the CPU
  models     180  every model, against float64 and the CPU engine
  steps       90  ten training steps, against the CPU engine
  timings    420  milliseconds a training step, also in PyTorch if python3 has torch
  training   240  the log-likelihoods that short trainings reach, also on the CPU
Without PART it runs all of them, in less than 20 minutes. Parts may also run one after another, in several calls: the
table has the results of all parts in DIR (default gpu-check-results). It goes to the terminal, last, and to
DIR/table.txt; details go to DIR/PART, and all of them to DIR/details.tar.gz. --gpu chooses a GPU, as nvidia-smi counts
them (default: the first of CUDA_VISIBLE_DEVICES). Exit code 1: no GPU, or a check failed.
Environment: PYTHON is the python3 to use, STEPS the length of the short trainings (default 2000).'
all='wrappers operations models steps timings training'
set -eu
here=$(cd "$(dirname "$0")" && pwd)
die() {
	echo "gpu-check: $*" >&2
	exit 1
}
wrong() {
	echo "gpu-check: $1" >&2
	echo "$usage" >&2
	exit 2
}
out=gpu-check-results parts=
gpu=${CUDA_VISIBLE_DEVICES:-0}
gpu=${gpu%%,*}
while [ $# -gt 0 ]; do
	case $1 in
	-h | --help) echo "$usage" && exit ;;
	--gpu | --out)
		[ $# -gt 1 ] || wrong "$1 needs a value"
		if [ "$1" = --gpu ]; then gpu=$2; else out=$2; fi
		shift
		;;
	*) case " $all " in *" $1 "*) parts="$parts $1" ;; *) wrong "unknown part $1" ;; esac ;;
	esac
	shift
done
for file in acqnp-cuda tests peer configs gpu-check-timings.sh gpu-check-training.sh; do
	[ -e "$here/$file" ] || die "$here/$file is missing: run the gpu-check.sh in the folder that make gpu-check fills"
done
# One GPU, counted as nvidia-smi does, for this program and for PyTorch.
export CUDA_VISIBLE_DEVICES="$gpu" CUDA_DEVICE_ORDER=PCI_BUS_ID
about=$(timeout -k 5 60 "$here/acqnp-cuda" doctor 2>&1) || die "no GPU to check on: $(echo "$about" | tail -1)"
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$here"

row() { printf '%-40s %s\n' "$1" "$2" >>"$rows"; }
say() { echo "gpu-check: $*" >&2; }
fail() { # LABEL TEXT
	row "$1" "FAILED: $2"
	touch "$dir/failed"
}
# limited SECONDS COMMAND... stops the command after that time, and at the end of the part's. Its
# exit code is then 124 or 137.
limited() {
	left=$((deadline - $(date +%s)))
	seconds=$(($1 < left ? $1 : left))
	shift
	[ $seconds -gt 0 ] || return 124
	timeout -k 5 $seconds "$@"
}

# compare TEST FLAG... runs a test program.
compare() {
	program=$1 code=0
	shift
	(cd tests && limited 600 "./$program.test" -test.v "$@") >"$dir/log.txt" 2>&1 || code=$?
	passed=$(grep -c '^ *--- PASS' "$dir/log.txt" || true)
	counts="$passed passed, $(grep -c '^ *--- FAIL' "$dir/log.txt" || true) failed, $(grep -c '^ *--- SKIP' "$dir/log.txt" || true) skipped"
	case $code in
	0) if [ "$passed" -gt 0 ]; then row "$part" "ok: $counts"; else fail "$part" "no test ran"; fi ;;
	124 | 137) fail "$part" "stopped after $limit s in $(sed -n 's/^=== RUN *//p' "$dir/log.txt" | tail -1): $counts" ;;
	*) fail "$part" "$counts; first $(sed -n 's/^ *--- FAIL: \([^ ]*\).*/\1/p' "$dir/log.txt" | tail -1)" ;;
	esac
}

steps='^Test(Fused)?Trains'
for part in ${parts:-$all}; do
	say "$part"
	dir=$out/$part rows=$out/$part/rows.txt
	rm -rf "$dir"
	mkdir -p "$dir"
	: >"$rows"
	limit=$(echo "$usage" | sed -n "s/^  $part *\([0-9]*\) .*/\1/p")
	deadline=$(($(date +%s) + limit))
	case $part in
	wrappers) compare internal-test-kernels -test.run '^TestWord' ;;
	operations) compare internal-test-kernels -test.skip '^TestWord' ;;
	models) compare internal-engine-cuda -test.skip "$steps|^TestShapesFit" ;; # it reads kernels/registers.txt, and needs no GPU
	steps) compare internal-engine-cuda -test.run "$steps" ;;
	timings)
		# shellcheck source=scripts/gpu-check-timings.sh
		. "$here/gpu-check-timings.sh"
		;;
	training)
		# shellcheck source=scripts/gpu-check-training.sh
		. "$here/gpu-check-training.sh"
		;;
	esac
done

# The table: what was measured on, then the rows of every part in DIR.
{
	echo "$about"
	nvidia-smi 2>&1 || true
	lscpu 2>&1 || true
} >"$out/machine.txt"
name=$(nvidia-smi -i "$gpu" --query-gpu=name,driver_version,compute_cap --format=csv,noheader 2>/dev/null | head -1) || true
rows=$out/table.txt
: >"$rows"
row commit "$(head -1 commit)$([ "$(wc -l <commit)" -gt 1 ] && echo ' and changes')"
row date "$(date -u +%Y-%m-%dT%H:%MZ)"
row 'GPU, driver, capability' "${name:-$(echo "$about" | sed -n 's/^ *GPU[^ ]* *//p' | head -1)}"
for part in $all; do
	if [ -e "$out/$part/rows.txt" ]; then cat "$out/$part/rows.txt" >>"$rows"; else row "$part" 'not run'; fi
done
(cd "$out" && tar -czf details.tar.gz --exclude=runs ./*.txt ./*/)
cat "$out/table.txt"
failed=
for part in $all; do [ ! -e "$out/$part/failed" ] || failed="$failed $part"; done
[ -z "$failed" ] || die "failed:$failed; details in $out"
echo "no check failed; details in $out"
