#!/bin/sh
# Trains the next cells of the paper's tables for a given time.
usage='usage: lab.sh [--dir DIR] [--seconds N] [--out DIR] [--program FILE] [PLAN...] [-- FLAG...]
Trains the runs of each PLAN in turn (default sweeps/lab.yaml and those after it), on what is at hand. Runs go on from
their checkpoints, runs that are done are evaluated and their weights written to weights.safetensors. After N seconds
(default: no end), or at an interruption, training writes a checkpoint and ends.
  --dir DIR       where runs/ is (default .): runs/BENCHMARK/MODEL/seed-N
  --out DIR       pack what changed into DIR/lab-1.tar.gz and so on, of less than 16 MiB, every 20 seconds and last. With
                  --seconds 0 nothing is trained and all runs are packed
  --program FILE  acqnp or acqnp-cuda (default: the one beside sweeps/, acqnp-cuda first)
FLAG goes to acqnp sweep run: --device cpu --precision bf16 --jobs 1 --indices 9..16 --data-dir DIR.
Exit code 0: all runs are done. 1: some failed. 130: the time was up, or it was interrupted.'
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ -e "$here/sweeps" ] || here=$(dirname "$here")
wrong() {
	echo "lab.sh: $1" >&2
	echo "$usage" >&2
	exit 2
}
dir=. seconds='' out='' program='' plans=''
while [ $# -gt 0 ]; do
	case $1 in
	-h | --help) echo "$usage" && exit ;;
	--) shift && break ;;
	--dir | --seconds | --out | --program)
		[ $# -gt 1 ] || wrong "$1 needs a value"
		case $1 in --dir) dir=$2 ;; --seconds) seconds=$2 ;; --out) out=$2 ;; *) program=$(realpath "$2") ;; esac
		shift
		;;
	-*) wrong "unknown flag $1" ;;
	*) plans="$plans $(realpath "$1")" ;;
	esac
	shift
done
case $seconds in *[!0-9]*) wrong "--seconds: found $seconds, expected a whole number" ;; esac
[ -n "$plans" ] || for name in lab lab-depths lab-images lab-seeds lab-floors; do plans="$plans $here/sweeps/$name.yaml"; done
[ -n "$program" ] || for file in "$here/acqnp" "$here/acqnp-cuda"; do [ ! -x "$file" ] || program=$file; done
[ -x "$program" ] || wrong "found no program acqnp in $here: give --program"
[ -z "$out" ] || { mkdir -p "$out" && out=$(cd "$out" && pwd); }
mkdir -p "$dir/runs" && cd "$dir"
[ -e configs ] || ln -s "$here/configs" configs # plans name their configurations from here
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
began=$(date +%s)
# Checkpoints, weights and packing take some seconds, too.
last=$((${seconds:-0} > 60 ? ${seconds:-0} - 20 : ${seconds:-0} * 2 / 3))
[ "${seconds:-1}" -eq 0 ] || touch "$scratch/began"

left() { # the seconds of training that are left; 0 is no limit for timeout
	[ -n "$seconds" ] || { echo 0 && return; }
	echo $((began + last - $(date +%s)))
}
newest() { find "$1/checkpoints" -name 'step-*.safetensors' 2>/dev/null | sort -t- -k2 -V | tail -1; }
# weights writes those of each run that is done.
weights() {
	find runs -name eval.json | while read -r file; do
		run=${file%/*}
		[ -e "$run/weights.safetensors" ] || "$program" export --run "$run" --checkpoint latest --quiet --out "$run/weights.safetensors" >&2 ||
			echo "lab.sh: no weights of $run" >&2
	done
}
# pack writes what changed since the start: of each such run its log, evaluation, weights and newest
# checkpoint. A run stays in one piece, pieces have at most 15 MiB before they are compressed, and
# there are at most four; the runs beyond are named.
pack() {
	[ -n "$out" ] || return 0
	find runs -name config.yaml | sort | while read -r config; do
		run=${config%/*}
		[ ! -e "$scratch/began" ] || [ -n "$(find "$run" -type f -newer "$scratch/began" | head -1)" ] || continue
		for file in "$run"/*.yaml "$run"/*.json* "$run"/weights.* "$(newest "$run")"; do
			[ ! -e "$file" ] || echo "$(wc -c <"$file") $run $file"
		done
	done |
		awk -v most=15728640 -v folder="$scratch" '
			!($2 in size) { order[++n] = $2 }
			{ size[$2] += $1; files[$2] = files[$2] $3 "\n" }
			END {
				for (i = 1; i <= n; i++) {
					run = order[i]
					if (piece == 0 || sum + size[run] > most) { piece++; sum = 0 }
					sum += size[run]
					if (piece > 4) print "lab.sh: not packed, as four pieces are full: " run > "/dev/stderr"
					else printf "%s", files[run] > (folder "/piece-" piece)
				}
			}'
	for list in "$scratch"/piece-*; do
		[ -e "$list" ] || continue
		# A log that grows, or a checkpoint that is replaced, is no error (1).
		tar -czf "$scratch/piece.tar.gz" --ignore-failed-read --files-from="$list" 2>/dev/null || [ $? -eq 1 ]
		cp "$scratch/piece.tar.gz" "$out/lab.part" && mv "$out/lab.part" "$out/lab-${list##*-}.tar.gz"
		rm "$list"
	done
}

# train trains the plans and writes how it ended to the file code.
train() {
	code=0
	for plan in $plans; do
		seconds_left=$(left)
		[ -z "$seconds" ] || [ "$seconds_left" -gt 0 ] || { code=130 && break; }
		echo "lab.sh: $plan" >&2
		timeout --kill-after=12 "$seconds_left" "$program" sweep run "$plan" --quiet "$@" >&2 &
		echo $! >"$scratch/pid"
		ended=0
		wait $! || ended=$?
		case $ended in 0) ;; 124 | 130 | 137 | 143) code=130 && break ;; *) code=$ended ;; esac
	done
	echo $code >"$scratch/code"
}
if [ "${seconds:-1}" -ne 0 ]; then
	train "$@" &
	training=$!
	trap 'kill "$(cat "$scratch/pid")" 2>/dev/null || true' INT TERM
	ticks=0
	while kill -0 $training 2>/dev/null; do
		sleep 1
		ticks=$((ticks + 1))
		[ $((ticks % 20)) -ne 0 ] || { weights && pack; }
	done
	trap - INT TERM
fi
weights
pack
exit "$(cat "$scratch/code" 2>/dev/null || echo 0)"
