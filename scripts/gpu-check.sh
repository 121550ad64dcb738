#!/bin/sh
# Runs all checks that need a GPU, in the folder that `make gpu-check` fills. It needs neither Go
# nor nvcc.
usage='usage: gpu-check.sh [OUT]
Compares the CUDA engine with the CPU, for every operation and model. Times training steps, also in PyTorch if python3
has torch. Compares the log-likelihoods that short trainings reach. Writes details to OUT (default gpu-check-TIME) and a
table to OUT/table.txt and the terminal. Exit code 1: no GPU, or a check failed.
Environment: PYTHON is the python3 to use, STEPS the length of the short trainings (default 2000).'
set -eu
case ${1:-} in
-h | --help) echo "$usage" && exit ;;
-*) echo "$usage" >&2 && exit 2 ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
die() {
	echo "gpu-check: $*" >&2
	exit 1
}
for file in acqnp acqnp-cuda tests peer configs; do
	[ -e "$here/$file" ] || die "$here/$file is missing: run the gpu-check.sh in the folder that make gpu-check fills"
done
about=$("$here/acqnp-cuda" doctor 2>&1) || die "no GPU to check on: $(echo "$about" | tail -1)"
out=${1:-gpu-check-$(date +%Y%m%d-%H%M%S)}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$here"
python=${PYTHON:-python3}
steps=${STEPS:-2000}
failed=0
: >"$out/table.txt"

row() { printf '%-40s %s\n' "$1" "$2" >>"$out/table.txt"; }
say() { echo "gpu-check: $*" >&2; }
# number FILE KEY prints the first number under that key in a JSON file
number() { sed -n "s/.*\"$2\": *\\(-\\{0,1\\}[0-9][0-9.e+-]*\\).*/\\1/p" "$1" | head -1; }
# likelihood FILE prints the mean target log-likelihood of an eval.json
likelihood() { tr -d '\n' <"$1" | sed -n 's/.*"target_ll": *{[^}]*"mean": *\(-\{0,1\}[0-9][0-9.e+-]*\).*/\1/p'; }

{ echo "$about" && nvidia-smi 2>&1 && lscpu 2>&1; } >"$out/machine.txt" || true
row commit "$(head -1 commit)$([ "$(wc -l <commit)" -gt 1 ] && echo ' and changes')"
row date "$(date -u +%Y-%m-%dT%H:%MZ)"
row GPU "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -1 || echo unknown)"

# 1. Comparisons: operations, the fused branch, whole models, three training steps.
for test in tests/*.test; do
	name=$(basename "$test" .test)
	say "$name"
	if (cd tests && "./$name.test" -test.v -test.timeout 30m) >"$out/$name.txt" 2>&1; then verdict=ok; else verdict=FAILED failed=1; fi
	row "$name" "$verdict: $(grep -c '^ *--- PASS' "$out/$name.txt") passed, $(grep -c '^ *--- FAIL' "$out/$name.txt") failed, $(grep -c '^ *--- SKIP' "$out/$name.txt") skipped"
done

# settings MODEL prints the flags that make MODEL of the configuration of the model before the dash.
# Every acqnp with a dash has the residual adaptor.
settings() {
	case $1 in acqnp-*) echo "--set model.adaptor_form=residual" ;; esac
	case $1 in *-attention | *-transformer) echo "--set model.aggregation=${1#*-} --set train.loss=targets" ;; esac
}
# peer MODEL MODE times it in PyTorch
peer() {
	case $1 in
	canp | bnp) script="canp_bnp_step.py --model $1" ;;
	*-*) script="encoder_step.py --model ${1%-*} --aggregation ${1#*-} --mode $2" ;;
	*) script="torch_step.py --model $1 --mode $2" ;;
	esac
	# shellcheck disable=SC2086 # several words
	"$python" peer/$script --points 53 --steps 50
}

# 2. Milliseconds per training step on lissajous, for this program and for PyTorch.
mkdir -p "$out/times"
torch=yes
"$python" -c 'import torch; assert torch.cuda.is_available()' 2>"$out/times/torch.err" || torch=no
for model in acqnp cqnp cnp canp bnp acqnp-residual cnp-attention acqnp-attention cnp-transformer acqnp-transformer; do
	line=
	for precision in fp32 tf32 fp16; do
		say "time $model $precision"
		file=$out/times/$model-$precision
		# shellcheck disable=SC2046 # several words
		if ./acqnp bench --config "configs/lissajous/${model%-*}.yaml" $(settings "$model") --points 53 --steps 50 --device cuda --precision $precision --json >"$file.json" 2>"$file.err"; then
			line="$line $precision $(number "$file.json" ms_median)"
		else
			line="$line $precision -"
		fi
	done
	row "ms a step, $model, acqnp" "$line"
	line=' python3 has no torch with CUDA'
	if [ $torch = yes ]; then
		line=
		case $model in
		canp | bnp) modes=eager ;;
		acqnp-residual) modes= ;; # no script has it; PyTorch should take as long as for acqnp
		*-*) modes='eager compile autotune bf16 compile-bf16' ;;
		*) modes='eager tf32 compile graph' ;;
		esac
		for mode in $modes; do
			say "time $model PyTorch $mode"
			file=$out/times/$model-torch-$mode
			if peer "$model" "$mode" >"$file.json" 2>"$file.err"; then
				line="$line $mode $(number "$file.json" ms_median)"
			else
				line="$line $mode -"
			fi
		done
	fi
	[ -z "$line" ] || row "ms a step, $model, PyTorch" "$line"
done

# 3. The log-likelihood that a short training reaches in each precision.
# train NAME DEVICE PRECISION CONFIG [FLAG...]
train() {
	run=$1 on=$2 with=$3 config=$4
	shift 4
	say "train $run on $on $with"
	./acqnp train --config "$config" "$@" --set "train.steps=$steps" --run-dir "$out/runs/$run" --overwrite --device "$on" \
		--precision "$with" --quiet >"$out/$run.txt" 2>&1 &&
		./acqnp eval --run "$out/runs/$run" --batches 100 --device "$on" --precision "$with" --out "$out/$run.json" --quiet >>"$out/$run.txt" 2>&1
}
# small NAME DEVICE PRECISION: a small ACQNP on arcs of the curves, which it learns in 2000 steps.
small() {
	train "$1" "$2" "$3" configs/lissajous/acqnp.yaml --set model.representation=64 --set model.encoder='[64, 64]' \
		--set model.adaptor='[64, 64, 64]' --set model.decoder='[64, 64, 64]' --set data.interval='[-1, 1.5]' \
		--set data.points='[6, 60]' --set train.batch_size=16 --set train.num_tau=8 --set train.learning_rate=3e-3 \
		--set train.schedule=cosine --set eval.num_tau=50 --set eval.num_points=200 --set eval.max_context=60
}
cpu=
small small-cpu cpu fp32 && cpu=$(likelihood "$out/small-cpu.json")
for precision in fp32 tf32 fp16; do
	if small small-$precision cuda $precision; then
		gpu=$(likelihood "$out/small-$precision.json")
		row "target LL, arcs, $precision" "$gpu, on the CPU ${cpu:--}"
		# Runs differ by rounding, but should reach the same log-likelihood. 0.1 is ten standard
		# errors.
		if ! awk -v a="$gpu" -v b="$cpu" 'BEGIN { d = a - b; exit !(a != "" && b != "" && d >= -0.1) }'; then
			row "" "FAILED: more than 0.1 below the CPU"
			failed=1
		fi
	else
		row "target LL, arcs, $precision" "training failed: $(tail -1 "$out/small-$precision.txt")"
		[ $precision != fp32 ] || failed=1
	fi
done
# Attention and transformers on the whole curves. They gain from step to step for longer, so 2000
# steps say only whether the GPU learns as the CPU does.
for model in acqnp-attention acqnp-transformer; do
	cpu=
	file=configs/lissajous/$model-small.yaml
	train $model-cpu cpu fp32 $file && cpu=$(likelihood "$out/$model-cpu.json")
	for precision in fp32 tf32 fp16; do
		if train $model-$precision cuda $precision $file; then
			row "target LL, $model, $precision" "$(likelihood "$out/$model-$precision.json"), on the CPU ${cpu:--}"
		else
			row "target LL, $model, $precision" "training failed: $(tail -1 "$out/$model-$precision.txt")"
			[ $precision != fp32 ] || failed=1
		fi
	done
done
for precision in fp32 tf32 fp16; do
	if train lissajous-$precision cuda $precision configs/lissajous/acqnp.yaml; then
		row "target LL, lissajous, $precision" "$(likelihood "$out/lissajous-$precision.json")"
	else
		row "target LL, lissajous, $precision" "training failed: $(tail -1 "$out/lissajous-$precision.txt")"
		[ $precision != fp32 ] || failed=1
	fi
done

cat "$out/table.txt"
[ $failed = 0 ] || die "some checks failed; details in $out"
echo "all checks passed; details in $out"
