#!/bin/sh
# Uses a machine with a GPU that is lent for a quarter of an hour, in the folder that
# `make gpu-check` packs.
usage='usage: gpu-check.sh [--seconds N] [--gpu N] [--out DIR] CALL | PART...
Three calls, and the seconds after which each part of them is stopped:
  measure     words       15  every word of kernels/device.h and hopper.h, against plain arithmetic
              kernels     50  the kernels, against plain kernels on the CPU
              samebits    40  the check of the kernels for sm_90a; 200 steps twice, and without early launches: the same bits
              models      35  the fused branch and training steps, against the CPU engine
              sanitizer   40  the branch under compute-sanitizer
              launches    60  each launch of a step, old and new kernels in turn
              steps       60  milliseconds a training step of each model, and with PAIRS=0 and EARLY=0
              ceilings    30  what the parts of the chip reach, the constants of research/roofline
              counters    50  hardware counters of the kernels, by ncu
              clocks      20  ten seconds of training, with clocks and power
              torch       55  steps in the fastest modes of PyTorch, and CNP, CQNP and ACQNP beside the goals
  likelihood  whole      150  100,000 steps of ACQNP on double sines in fp16, evaluated beside the run of before
              seeds      130  three short runs in fp16 and in fp32, and their difference
  train       lab        470  the next cells of the paper, by lab.sh
A call, of any parts, ends within N seconds (default 470). Every three seconds and after each part DIR (default
gpu-check-results) has table.txt, with a line for all parts that says what was measured, and results.tar.gz with all
details; lab adds up to four lab-N.tar.gz. No file exceeds 16 MiB. --gpu chooses a GPU, as nvidia-smi counts them (default:
the first of CUDA_VISIBLE_DEVICES). If a word fails, nothing after it is run. Exit code 1: no GPU, or a check failed.
Environment: PYTHON is the python3 with torch, TESTS the pattern of tests in kernels and models, JOBS the runs of lab at once.'
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
# limit PART prints the part's seconds, parts_of CALL the parts of a call.
limit() { echo "$usage" | sed -n "s/^ .* $1  *\\([0-9][0-9]*\\)  .*/\\1/p"; }
parts_of() { echo "$usage" | awk -v call="$1" '/^  / { if (NF > 3 && $3 ~ /^[0-9]+$/ && /^  [a-z]/) now = $1; if (now == call) print /^  [a-z]/ ? $2 : $1 } /^A call/ { exit }'; }
all=$(echo "$usage" | sed -n 's/^  .* \([a-z][a-z]*\)  *[0-9][0-9]*  .*/\1/p')
out=gpu-check-results seconds=470 parts=
gpu=${CUDA_VISIBLE_DEVICES:-0}
gpu=${gpu%%,*}
while [ $# -gt 0 ]; do
	case $1 in
	-h | --help) echo "$usage" && exit ;;
	--gpu | --out | --seconds)
		[ $# -gt 1 ] || wrong "$1 needs a value"
		case $1 in --gpu) gpu=$2 ;; --out) out=$2 ;; --seconds) seconds=$2 ;; esac
		shift
		;;
	measure | likelihood | train) parts="$parts $(parts_of "$1")" ;;
	*)
		[ -n "$(limit "$1")" ] || wrong "unknown part $1"
		parts="$parts $1"
		;;
	esac
	shift
done
case $seconds in '' | *[!0-9]*) wrong "--seconds: found $seconds, expected a whole number" ;; esac
[ -n "$parts" ] || wrong "say what to do: measure, likelihood or train"
end=$(($(date +%s) + seconds - 5)) # the last summary takes a second or two
for file in acqnp-cuda launches-new tests configs sweeps lab.sh gpu-check-part.sh gpu-check-first.awk gpu-check-table.awk gpu-check-goals.awk gpu-old-new.csv; do
	[ -e "$here/$file" ] || die "$here/$file is missing: run the gpu-check.sh in the folder that make gpu-check fills"
done
# One GPU, counted as nvidia-smi does, for this program and for PyTorch.
export CUDA_VISIBLE_DEVICES="$gpu" CUDA_DEVICE_ORDER=PCI_BUS_ID
about=$(timeout -k 5 60 "$here/acqnp-cuda" doctor 2>&1) || die "no GPU to check on: $(echo "$about" | tail -1)"
mkdir -p "$out" "$here/work"
out=$(cd "$out" && pwd)
cd "$here"
{
	echo "$about"
	nvidia-smi 2>&1 || true
	lscpu 2>&1 || true
} >work/machine.txt
name=$(nvidia-smi -i "$gpu" --query-gpu=name,driver_version,compute_cap --format=csv,noheader 2>/dev/null | head -1) || true

row() { printf '%-28s %s\n' "$1" "$2"; }
# summarise writes the table and the archive anew, each under another name first.
summarise() {
	{
		row commit "$(head -1 commit)$([ "$(wc -l <commit)" -gt 1 ] && echo ' and changes')"
		row date "$(date -u +%Y-%m-%dT%H:%MZ)"
		row 'GPU, driver, capability' "${name:-$(echo "$about" | sed -n 's/^ *GPU[^ ]* *//p' | head -1)}"
		row 'code for sm_90a' "$(cat sm_90a)"
		cat work/steps/rows work/torch/rows 2>/dev/null | awk -f gpu-check-goals.awk
		for one in $all; do
			if [ -s "work/$one/rows" ]; then cat "work/$one/rows"; else row "$one" 'not measured'; fi
		done
		find work -type f -size +4096k ! -path '*/runs/*' | sed 's/.*/left out of results.tar.gz, over 4 MiB: &/'
	} >work/table.txt
	find work/launches -name '*.txt' 2>/dev/null | sort | xargs awk -f gpu-check-table.awk gpu-old-new.csv >work/gpu-old-new.csv
	find work -type f -size -4097k ! -path '*/runs/*' ! -path 'work/bin/*' ! -name '*.tar.gz' >work/list
	tar -czf work/results.tar.gz --ignore-failed-read --files-from=work/list 2>/dev/null || [ $? -eq 1 ]
	for file in table.txt results.tar.gz; do cp "work/$file" "$out/part" && mv "$out/part" "$out/$file"; done
}

failed=
for part in $parts; do
	left=$((end - $(date +%s)))
	most=$(limit "$part")
	[ "$most" -lt $left ] || most=$left
	rm -rf "work/$part"
	mkdir -p "work/$part"
	if [ "$most" -lt 3 ]; then
		row "$part" "not measured: the time was up" >"work/$part/rows"
		continue
	fi
	echo "gpu-check: $part, at most $most s" >&2
	# The part sees to its own end; the signals are for what hangs.
	PART_OUT=$out timeout -k 2 "$most" sh gpu-check-part.sh "$part" $((most - 2)) >"work/$part/log" 2>&1 &
	pid=$! ticks=0
	while kill -0 $pid 2>/dev/null; do
		sleep 0.2
		ticks=$((ticks + 1))
		[ $((ticks % 15)) -ne 0 ] || summarise
	done
	code=0
	wait $pid || code=$?
	case $code in
	0) [ -s "work/$part/rows" ] || row "$part" 'not measured: it printed nothing' >"work/$part/rows" ;;
	124 | 137) row "$part" "stopped after $most s" >>"work/$part/rows" ;;
	*) row "$part" "FAILED: exit code $code, $(tail -1 "work/$part/log")" >>"work/$part/rows" ;;
	esac
	! grep -q '  *FAILED: ' "work/$part/rows" || failed="$failed $part"
	summarise
	case $failed in
	*' words') # all kernels are wrong with it: its numbers are printed
		grep -A 2 '_test\.go:[0-9]*: ' work/words/tests.txt >&2 || true
		break
		;;
	esac
done
summarise
cat "$out/table.txt"
[ -z "$failed" ] || die "failed:$failed; details in $out/results.tar.gz"
echo "no check failed; details in $out/results.tar.gz"
