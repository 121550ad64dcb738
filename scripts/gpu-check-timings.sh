# shellcheck shell=sh disable=SC2154 # gpu-check.sh reads this file and sets its variables
# Milliseconds a training step on lissajous, for this program and for PyTorch. ACQNP comes first, in
# every mode of PyTorch. The other models take what is left of the time.
python=${PYTHON:-python3}
torch=yes
limited 60 "$python" -c 'import torch; assert torch.cuda.is_available(); print(torch.__version__)' >"$dir/torch.txt" 2>&1 || torch=no

# number FILE KEY prints the first number under that key in a JSON file.
number() { sed -n "s/.*\"$2\": *\\(-\\{0,1\\}[0-9][0-9.e+-]*\\).*/\\1/p" "$1" | head -1; }
# settings MODEL prints the flags that make MODEL of the configuration of the model before the dash.
# Every acqnp with a dash has the residual adaptor.
settings() {
	case $1 in acqnp-*) echo "--set model.adaptor_form=residual" ;; esac
	case $1 in *-attention | *-transformer) echo "--set model.aggregation=${1#*-} --set train.loss=targets" ;; esac
}
# time_here MODEL PRECISION SECONDS prints the time, - if it failed, and late if it took too long.
time_here() {
	file=$dir/$1-$2 code=0
	# shellcheck disable=SC2046 # several words
	limited "$3" ./acqnp-cuda bench --config "configs/lissajous/${1%-*}.yaml" $(settings "$1") --points 53 --steps 50 --device cuda \
		--precision "$2" --json >"$file.json" 2>"$file.err" || code=$?
	took "$file"
}
# time_torch MODEL MODE SECONDS does the same in PyTorch.
time_torch() {
	case $1 in
	canp | bnp) script="canp_bnp_step.py --model $1" ;;
	*-*) script="encoder_step.py --model ${1%-*} --aggregation ${1#*-} --mode $2" ;;
	*) script="torch_step.py --model $1 --mode $2" ;;
	esac
	file=$dir/$1-torch-$2 code=0
	# shellcheck disable=SC2086 # several words
	limited "$3" "$python" peer/$script --points 53 --steps 50 >"$file.json" 2>"$file.err" || code=$?
	took "$file"
}
took() {
	case $code in 0) number "$1.json" ms_median ;; 124 | 137) echo late ;; *) echo - ;; esac
}
# least prints the least of its arguments that are numbers.
least() { printf '%s\n' "$@" | grep '^[0-9]' | sort -g | head -1; }

# by_kernel writes the time of each kernel of a step, if bench can tell.
by_kernel() {
	./acqnp-cuda bench --help | grep -q -- --kernels || return 0
	limited 40 ./acqnp-cuda bench --config configs/lissajous/acqnp.yaml --points 53 --steps 50 --device cuda --precision fp16 \
		--kernels >"$dir/kernels.txt" 2>&1 || fail "ms by kernel" "$(tail -1 "$dir/kernels.txt")"
}

for model in acqnp cqnp cnp canp bnp acqnp-residual cnp-attention acqnp-attention cnp-transformer acqnp-transformer; do
	if [ "$(date +%s)" -ge "$deadline" ]; then
		row "ms a step, $model" " late"
		continue
	fi
	line='' here_ms=''
	for precision in fp16 tf32 fp32; do
		say "time $model $precision"
		ms=$(time_here $model $precision 40)
		line="$line $precision $ms" here_ms="$here_ms $ms"
		# Turing GPUs have no tf32.
		[ "$ms" != - ] || [ $precision = tf32 ] || fail "ms a step, $model, $precision" "$(tail -1 "$dir/$model-$precision.err")"
	done
	row "ms a step, $model, acqnp" "$line"
	[ $model != acqnp ] || by_kernel
	[ $torch = yes ] || continue
	case $model in
	acqnp) modes='eager tf32 graph amp amp-graph compile amp-compile' ;;
	cqnp | cnp) modes='eager graph amp-graph' ;;
	acqnp-residual) modes= ;; # no script has it; PyTorch should take as long as for acqnp
	*) modes=eager ;;
	esac
	line='' torch_ms='' eager=''
	for mode in $modes; do
		say "time $model PyTorch $mode"
		ms=$(time_torch $model "$mode" 100)
		line="$line $mode $ms" torch_ms="$torch_ms $ms"
		[ "$mode" != eager ] || eager=$ms
	done
	[ -z "$line" ] || row "ms a step, $model, PyTorch" "$line"
	# shellcheck disable=SC2086 # several words
	[ -z "$line" ] || row "PyTorch's time over acqnp's, $model" \
		"$(awk -v a="$(least $here_ms)" -v e="$eager" -v b="$(least $torch_ms)" 'BEGIN { if (a > 0 && b > 0) printf " eager %.1f best %.1f", e / a, b / a; else print " -" }')"
done
[ $torch = yes ] || row "ms a step, PyTorch" " $python has no torch with CUDA"
