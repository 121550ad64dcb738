# shellcheck shell=sh disable=SC2154 # gpu-check.sh reads this file and sets its variables
# The log-likelihood that a short training reaches in each precision.
length=${STEPS:-2000}

# likelihood FILE prints the mean target log-likelihood of an eval.json.
likelihood() { tr -d '\n' <"$1" | sed -n 's/.*"target_ll": *{[^}]*"mean": *\(-\{0,1\}[0-9][0-9.e+-]*\).*/\1/p'; }
# train NAME DEVICE PRECISION CONFIG [FLAG...]
train() {
	run=$1 on=$2 with=$3 config=$4
	shift 4
	say "train $run"
	limited 100 ./acqnp-cuda train --config "$config" "$@" --set "train.steps=$length" --run-dir "$dir/runs/$run" --overwrite \
		--device "$on" --precision "$with" --quiet >"$dir/$run.txt" 2>&1 &&
		limited 100 ./acqnp-cuda eval --run "$dir/runs/$run" --batches 100 --device "$on" --precision "$with" --out "$dir/$run.json" \
			--overwrite --quiet >>"$dir/$run.txt" 2>&1
}
# beside NAME LEAST CONFIG [FLAG...] trains on the CPU and in every precision of the GPU. Runs differ
# by rounding, but should reach the same log-likelihood: at most LEAST below the CPU's.
beside() {
	what=$1 least=$2 cpu=
	shift 2
	train "$what-cpu" cpu fp32 "$@" && cpu=$(likelihood "$dir/$what-cpu.json")
	for precision in fp16 tf32 fp32; do
		if train "$what-$precision" cuda $precision "$@"; then
			reached=$(likelihood "$dir/$what-$precision.json")
			row "target LL, $what, $precision" "$reached, on the CPU ${cpu:--}"
			[ -z "$cpu" ] || awk -v a="$reached" -v b="$cpu" -v most="$least" 'BEGIN { exit !(a != "" && a - b >= -most) }' ||
				fail "target LL, $what, $precision" "more than $least below the CPU"
		elif [ $precision = tf32 ]; then # Turing GPUs have no tf32
			row "target LL, $what, tf32" "- $(tail -1 "$dir/$what-tf32.txt")"
		elif [ "$(date +%s)" -ge "$deadline" ]; then
			row "target LL, $what, $precision" "late"
		else
			fail "target LL, $what, $precision" "$(tail -1 "$dir/$what-$precision.txt")"
		fi
	done
}

# A small ACQNP on arcs of the curves, which it learns in 2000 steps. 0.1 is far above the paired error
# of the evaluation, 0.004, as trainings that differ by a rounding part ways.
beside arcs 0.1 configs/lissajous/acqnp.yaml --set model.representation=64 --set model.encoder='[64, 64]' \
	--set model.adaptor='[64, 64, 64]' --set model.decoder='[64, 64, 64]' --set data.interval='[-1, 1.5]' \
	--set data.points='[6, 60]' --set train.batch_size=16 --set train.num_tau=8 --set train.learning_rate=3e-3 \
	--set train.schedule=cosine --set eval.num_tau=50 --set eval.num_points=200 --set eval.max_context=60
# The paper's size on whole curves, on the GPU alone.
for precision in fp16 tf32 fp32; do
	if train lissajous-$precision cuda $precision configs/lissajous/acqnp.yaml; then
		row "target LL, lissajous, $precision" "$(likelihood "$dir/lissajous-$precision.json")"
	else
		row "target LL, lissajous, $precision" "- $(tail -1 "$dir/lissajous-$precision.txt")"
	fi
done
# Attention and transformers gain from step to step for longer, so 2000 steps say only whether the
# GPU learns as the CPU does: at most 1 below it.
for encoder in attention transformer; do beside "$encoder" 1 "configs/lissajous/acqnp-$encoder-small.yaml"; done
