#!/bin/sh
# Draws the paper's figures from trained runs, with the programs of this folder and of research/figures.
usage='usage: figures.sh [--data-dir DIR] [--out DIR] [--program FILE] RUNS [NAME...]
RUNS has runs as scripts/lab.sh leaves them: RUNS/BENCHMARK/MODEL/seed-N. Of a model the first seed is drawn; a
model without a run is left out and named. A figure without any stays as it is. NAMEs, by default all:
  double-sine circle lissajous    figure 1: levels of ACQNP and CQNP, bootstraps of BNP, the mean of CANP
  levels                          figure 2: the levels of ACQNP on these three
  speed-flow                      figure 3: ten levels or quantiles of five models on two lanes
  num-quantiles depths            figure 4: likelihood by the number of levels, and by the depth of ψ
  sawtooth rbf matern52           the figure of the supplement: means
--out is docs/img, with the tables of figure 4 in research/data, and the program is acqnp in the root of the repository,
unless they are given.'
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
data=$root/data out=$root/docs/img tables=$root/research/data program=$root/acqnp
while [ $# -gt 1 ]; do
	case $1 in
	--data-dir) data=$(realpath "$2") ;;
	--out) out=$(realpath "$2") && tables=$out ;;
	--program) program=$2 ;;
	*) break ;;
	esac
	shift 2
done
if [ $# -eq 0 ] || [ ! -d "$1" ]; then
	echo "$usage" >&2
	exit 2
fi
runs=$(realpath "$1")
shift

# of prints the run of the first seed of each model, and says which have none.
of() { # BENCHMARK MODEL...
	benchmark=$1
	shift
	for model in "$@"; do
		found=''
		for run in "$runs/$benchmark/$model"/seed-*; do
			[ -n "$found" ] || [ ! -d "$run/checkpoints" ] || found=$run
		done
		if [ -n "$found" ]; then
			printf ' %s' "$found"
		else
			echo "figures.sh: $name: no run in $runs/$benchmark/$model" >&2
		fi
	done
}

# draw draws what there is.
draw() { # FIGURE FILE RUNS
	[ -n "$3" ] || return 0
	# shellcheck disable=SC2086 # directories, which have no spaces
	go run -C "$root/research" ./figures "$1" --data-dir "$data" --out "$out/$2" $3
}

[ $# -gt 0 ] || set -- double-sine circle lissajous levels speed-flow num-quantiles depths sawtooth rbf matern52
for name in "$@"; do
	case $name in
	double-sine | circle | lissajous)
		draw components "paper-figure-1-$name.png" "$(of "$name" acqnp cqnp bnp canp)"
		;;
	sawtooth | rbf | matern52)
		draw components "paper-supplement-$name.png" "$(of "$name" acqnp cqnp bnp canp)"
		;;
	levels)
		draw levels paper-figure-2.png "$(for benchmark in double-sine circle lissajous; do of "$benchmark" acqnp; done)"
		;;
	speed-flow) draw speed-flow paper-figure-3.png "$(of speed-flow acqnp cqnp bnp canp cnp)" ;;
	num-quantiles) # evaluated here, on lissajous as in the paper or else on speed-flow; sweeps/num-quantiles.yaml trains six seeds
		benchmark=lissajous
		[ -d "$runs/lissajous/acqnp" ] || benchmark=speed-flow
		for model in acqnp cqnp; do
			for run in "$runs/$benchmark/$model"/seed-*; do
				[ -d "$run/checkpoints" ] || continue
				for n in 3 5 7 9 11; do
					[ -e "$run/levels-$n.json" ] || "$program" eval --run "$run" --data-dir "$data" --num-quantiles $n --level-spacing grid --out "$run/levels-$n.json"
				done
			done
		done
		go run -C "$root/research" ./paper --data "$tables" --images "$out" levels "$runs/$benchmark"
		;;
	depths) go run -C "$root/research" ./paper --data "$tables" --images "$out" depths "$runs/lissajous/acqnp" ;;
	*)
		echo "$usage" >&2
		exit 2
		;;
	esac
done
