#!/bin/sh
# Runs one part of gpu-check.sh: gpu-check-part.sh PART SECONDS. Lines of the table go to
# work/PART/rows as soon as they are known, so that they survive the part's end at any moment.
set -eu
part=$1 deadline=$(($(date +%s) + $2)) wrong=''
dir=work/$part
gpu=${CUDA_VISIBLE_DEVICES:-0}

row() { printf '%-28s %s\n' "$1" "$2" >>"$dir/rows"; }
fail() { row "$1" "FAILED: $2"; }
# limited SECONDS COMMAND... stops the command after that time, and at the end of the part's. Its
# exit code is then 124 or 137.
limited() {
	left=$((deadline - $(date +%s)))
	seconds=$(($1 < left ? $1 : left))
	shift
	[ $seconds -gt 0 ] || return 124
	timeout -k 1 $seconds "$@"
}
last() { tail -1 "$1" 2>/dev/null; }
# why CODE FILE prints why a command failed whose output is in FILE.
why() { case $1 in 124 | 137) echo "stopped, as it took too long" ;; *) echo "exit code $1, $(last "$2")" ;; esac; }

# group PROGRAM FLAG... runs tests in a process of their own, which a kernel's fault cannot outlive: after
# it no other test of the process says anything.
group() {
	program=$1
	shift
	{ (cd tests && limited 600 "./$program.test" -test.v "$@" 2>&1) || echo "exit code $?"; } | sed '/the GPU is lost/q' >"$dir/group.txt"
	cat "$dir/group.txt" >>"$dir/tests.txt"
	code=$(sed -n 's/^exit code //p' "$dir/group.txt")
	tests=$(sed -n 's/^--- [A-Z]*: \([^ ]*\).*/\1/p' "$dir/group.txt")
	[ -n "$code" ] || ! grep -q 'the GPU is lost' "$dir/group.txt" || code=lost
	case ${code:-0} in
	0) [ -n "$tests" ] || wrong="${wrong:-no test ran with $*}" ;;
	124 | 137) wrong="${wrong:-stopped in $(sed -n 's/^=== RUN *//p' "$dir/group.txt" | tail -1)}" ;;
	*) wrong="${wrong:-first $(awk -f gpu-check-first.awk "$dir/group.txt")}" ;;
	esac
}
# verdict makes the part's row of its groups.
verdict() {
	count() { grep -c "^ *--- $1" "$dir/tests.txt" || true; }
	counts="$(count PASS) passed, $(count FAIL) failed, $(count SKIP) skipped"
	if [ -z "$wrong" ]; then row "$part" "ok: $counts"; else fail "$part" "$counts; $wrong"; fi
}
# launches times old and new kernels in turn, so that a change of the clocks meets both.
launches() {
	[ -x launches-old ] || row "launches, old" "not measured: no OLD was packed"
	for round in 1 2; do
		for precision in fp16 fp32; do
			for age in old new; do
				program=launches-$age
				[ -x $program ] || continue
				file=$dir/$age-$precision-$round.txt
				code=0
				limited 30 ./$program --config configs/lissajous/acqnp.yaml --points 53 --steps 50 --precision $precision >"$file.part" 2>&1 || code=$?
				if [ $code -eq 0 ]; then
					mv "$file.part" "$file"
					row "launches, $precision, $age" "$(sed -n 's/^step  *\([0-9.]* ms\).*/step \1/p; s/^\(all [0-9]*, one after another\) *\([0-9.]*\) .*/; \1 \2 us/p; s/^In a step \([0-9]*\) of them start .*/; \1 start early/p; s/^device .*\(on sm_90a\).*/\1; /p' "$file" | tr -d '\n')"
				else
					fail "launches, $precision, $age" "$(why $code "$file.part")"
				fi
			done
		done
	done
}

sanitizer() {
	command -v compute-sanitizer >/dev/null || { row sanitizer "not measured: no compute-sanitizer" && return; }
	code=0
	(cd tests && limited 600 compute-sanitizer --error-exitcode 9 ./internal-test-kernels.test -test.v -test.run '^TestBranch$') >"$dir/sanitizer.txt" 2>&1 || code=$?
	found=$(grep -v ' ERROR SUMMARY: ' "$dir/sanitizer.txt" | grep -m 1 '^========= [A-Z].* \(of size\|error\|Error\|hit\)') || true
	case $code,$found in
	0,) row sanitizer "ok: $(last "$dir/sanitizer.txt")" ;;
	124, | 137,) row sanitizer "nothing found in the time that there was" ;;
	*) fail sanitizer "exit code $code, ${found:-$(last "$dir/sanitizer.txt")}" ;;
	esac
}

# build NAME compiles a program of CUDA for this GPU, unless it was packed for it, and prints its path.
build() {
	arch=$(nvidia-smi -i "$gpu" --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
	[ "$arch" != 90 ] || [ ! -x "bin/$1" ] || { echo "bin/$1" && return; }
	release=$(nvcc --version 2>"$dir/build.txt" | sed -n 's/.*release \([0-9]*\)\..*/\1/p')
	target="arch=compute_$arch,code=sm_$arch"
	[ "$arch" != 90 ] || [ "${release:-0}" -lt 12 ] || target="arch=compute_90a,code=sm_90a -DHOPPER"
	mkdir -p work/bin
	# shellcheck disable=SC2086 # several words
	limited 40 nvcc -O3 -std=c++17 -gencode $target -o "work/bin/$1" "trials/$1.cu" >"$dir/build.txt" 2>&1 && echo "work/bin/$1"
}
ceilings() {
	program=$(build ceilings) || program=bin/ceilings-plain
	[ -x "$program" ] || { row ceilings "not measured: $(last "$dir/build.txt")" && return; }
	code=0
	limited 40 "$program" >"$dir/ceilings.csv" 2>"$dir/errors.txt" || code=$?
	row ceilings "$(grep -c ',[0-9]' "$dir/ceilings.csv" || true) constants, in ceilings.csv"
	[ $code -eq 0 ] || fail ceilings "$(why $code "$dir/errors.txt")"
}

# What ncu reads of a kernel: why its warps wait, what the matrix unit, shared memory, L2 and device
# memory carry, and the clock.
metrics=gpu__time_duration.sum,gpc__cycles_elapsed.avg.per_second
for unit in hmma gmma; do metrics=$metrics,sm__inst_executed_pipe_tensor_op_$unit.sum; done
metrics=$metrics,sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active,smsp__issue_active.avg.pct_of_peak_sustained_active
for why in math_pipe_throttle mio_throttle short_scoreboard long_scoreboard barrier lg_throttle no_instruction wait dispatch_stall; do
	metrics=$metrics,smsp__average_warps_issue_stalled_${why}_per_issue_active.ratio
done
metrics=$metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum,l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum
metrics=$metrics,dram__bytes_read.sum,dram__bytes_write.sum,dram__throughput.avg.pct_of_peak_sustained_elapsed,lts__t_sector_hit_rate.pct
# profile NAME SKIP COUNT KERNELS COMMAND... reads the counters $wanted into NAME.csv. ncu names those
# that it lacks; they are dropped, and it is asked again.
profile() {
	name=$1 file=$dir/$1 skip=$2 count=$3 kernels=$4
	shift 4
	command -v ncu >/dev/null || { row "$part, $name" "not measured: no ncu" && return; }
	lacks=yes
	while [ -n "$lacks" ]; do
		code=0 lacks='' kept=''
		limited 40 ncu --clock-control none --csv --launch-skip "$skip" --launch-count "$count" -k "regex:$kernels" \
			--metrics "$wanted" "$@" >"$file.csv" 2>"$file.err" || code=$?
		grep -hv '^"' "$file.csv" "$file.err" >"$file.lacks" || true
		for metric in $(echo "$wanted" | tr , ' '); do
			if grep -qF "$metric" "$file.lacks"; then lacks="$lacks $metric"; else kept="$kept,$metric"; fi
		done
		[ -n "$kept" ] || break
		wanted=${kept#,}
		[ -z "$lacks" ] || row "$part, $name" "dropped:$lacks"
	done
	lines=$(grep -c '^"[0-9]' "$file.csv" || true)
	if [ "$lines" -gt 0 ]; then
		row "$part, $name" "$lines numbers, in $name.csv"
	else
		grep '^==ERROR==' "$file.lacks" >"$file.why" || cp "$file.lacks" "$file.why"
		row "$part, $name" "not measured: $(why "$code" "$file.why")"
	fi
}
small='^(chain|weight_grads|sums|mixture_grad)'
counters() {
	wanted=$metrics
	for precision in fp16 fp32; do
		# Four to eight large kernels in a step; the first step warms the caches up.
		profile "large-$precision" 8 8 '^branch_(forward|backward)' ./acqnp-cuda bench --config configs/lissajous/acqnp.yaml --points 53 --steps 4 --device cuda --precision $precision
	done
	profile small 20 20 "$small" ./acqnp-cuda bench --config configs/lissajous/acqnp.yaml --points 53 --steps 2 --device cuda --precision fp16
}

clocks() {
	timeout 20 nvidia-smi dmon -i "$gpu" -s pc -d 1 >"$dir/dmon.txt" 2>"$dir/dmon.err" &
	monitor=$!
	trap 'kill $monitor 2>/dev/null || true' EXIT
	code=0
	limited 12 ./acqnp-cuda train --config configs/lissajous/acqnp.yaml --run-dir "$dir/runs/acqnp" --overwrite --device cuda \
		--precision fp16 --no-eval --quiet >"$dir/train.txt" 2>&1 || code=$?
	case $code in
	0 | 124 | 130)
		cp "$dir/runs/acqnp/metrics.jsonl" "$dir"
		row clocks "$(sed -n 's/.*"rows_per_s":\([0-9.e+]*\).*/\1 rows a second/p' "$dir/metrics.jsonl" | tail -1)"
		;;
	*) fail clocks "$(why $code "$dir/train.txt")" ;;
	esac
	# dmon names its columns in its first line. Idle seconds, before and after, have less than half of the most power.
	awk '/^# gpu/ { for (i = 2; i <= NF; i++) column[$i] = i - 1 }
		/^ *[0-9]/ { p[++n] = $column["pwr"]; clock[n] = $column["pclk"]; if (p[n] > most) most = p[n] }
		END { for (i = 1; i <= n; i++) if (p[i] > most / 2) { k++; power += p[i]; mhz += clock[i] }
			if (k) printf "%d s busy: %.0f W, %.0f MHz in the mean; at most %d W", k, power / k, mhz / k, most; else printf "not measured: dmon printed nothing" }' \
		"$dir/dmon.txt" >"$dir/power"
	row "clocks, power" "$(cat "$dir/power")"
}
milliseconds() { sed -n 's/.*"ms_median": *\([0-9.e+-]*\).*/\1/p' "$1" | head -1; }
# step NAME MODEL PRECISION times a step of training.
step() {
	file=$dir/$(echo "$1" | tr ' ' -).json
	code=0
	limited 20 ./acqnp-cuda bench --config "configs/lissajous/$2.yaml" --points 53 --device cuda --steps 50 --precision "$3" --json >"$file" 2>"$file.err" || code=$?
	if [ $code -eq 0 ]; then row "ms a step, $1" "$(milliseconds "$file")"; else fail "ms a step, $1" "$(why $code "$file.err")"; fi
}
steps() {
	for way in 'acqnp fp16' 'acqnp fp32' 'cqnp fp16' 'cqnp fp32' 'cnp auto' 'canp auto' 'bnp auto'; do
		step "$way" "${way% *}" "${way#* }"
	done
	for way in 'PAIRS acqnp' 'PAIRS cqnp' 'EARLY acqnp' 'EARLY cnp'; do # cnp has no pairs
		export "ACQNP_CUDA_${way% *}=0"
		step "${way% *}=0 ${way#* }" "${way#* }" fp16
		unset "ACQNP_CUDA_${way% *}"
	done
}
# torch times the modes that were fastest first, and compiles, which takes a minute, after them.
torch() {
	for way in 'acqnp amp-graph' 'cqnp amp-graph' 'cnp graph' 'acqnp amp-compile' 'acqnp graph' 'acqnp eager'; do
		file=$dir/$(echo "$way" | tr ' ' -).json
		limited 80 "${PYTHON:-python3}" peer/torch_step.py --model "${way% *}" --mode "${way#* }" --points 53 --steps 50 >"$file" 2>"$file.err" || true
		ms=$(milliseconds "$file")
		row "ms a step, torch, $way" "${ms:-not measured: $(last "$file.err")}"
	done
}

# trained NAME PRECISION SEED STEPS BATCHES trains ACQNP on double sines and evaluates it, and prints the
# mean log-likelihood of the context, its error, and the same of the target. Training ends in time for that.
trained() {
	run=$dir/runs/$1 code=0
	limited $((deadline - $(date +%s) - 30)) ./acqnp-cuda train --config configs/double-sine/acqnp.yaml --run-dir "$run" --overwrite \
		--device cuda --precision "$2" --seed "$3" --until "$4" --no-eval --quiet >"$dir/$1.txt" 2>&1 || code=$?
	case $code in 0 | 124 | 130) code=0 ;; esac
	[ $code -ne 0 ] || limited 60 ./acqnp-cuda eval --run "$run" --device cuda --batches "$5" --out "$dir/$1.json" --overwrite --quiet >>"$dir/$1.txt" 2>&1 || code=$?
	[ $code -eq 0 ] || { fail "likelihood, $1" "$(why $code "$dir/$1.txt")" && return 1; }
	cp "$run/metrics.jsonl" "$dir/$1.jsonl"
	awk -F'[:,]' '/"(context|target)_ll": *[{]/ { own = 1 } own && /"(mean|std_error)"/ { printf "%.4f ", $2; if (/std_error/) own = 0 }' "$dir/$1.json"
}
whole() {
	row 'likelihood, before' "$(awk -F, '{ printf "context %s ± %s, target %s ± %s, %s", $(NF - 4), $(NF - 3), $(NF - 2), $(NF - 1), $(NF - 6) }' double-sine-before.csv)"
	began=$(date +%s)
	lik=$(trained whole fp16 0 100000 5000) || return 0
	steps=$(sed -n 's/.*"step": *\([0-9]*\).*/\1/p' "$dir/whole.json" | tail -1)
	row 'likelihood, now' "$(echo "$lik" | awk '{ printf "context %.3f ± %.3f, target %.3f ± %.3f", $1, $2, $3, $4 }'), at step $steps after $(($(date +%s) - began)) s"
}
seeds() {
	for seed in 0 1 2; do
		for precision in fp16 fp32; do
			lik=$(trained $precision-$seed $precision $seed 5000 500) && echo "$seed $precision $lik" >>"$dir/seeds"
		done
	done
	touch "$dir/seeds"
	awk '{ target[$1, $2] = $5 }
		$2 == "fp32" && ($1, "fp16") in target {
			d = target[$1, "fp16"] - $5; n++; sum += d; squares += d * d
			printf "likelihood, seed %s\ttarget %.3f in fp16, %.3f in fp32: %+.3f\n", $1, target[$1, "fp16"], $5, d
		}
		END {
			v = n > 1 ? (squares - sum * sum / n) / (n - 1) / n : 0
			printf "likelihood, fp16 less fp32\t"
			if (n > 1) printf "%+.3f ± %.3f of %d seeds\n", sum / n, sqrt(v > 0 ? v : 0), n
			else print "not measured: fewer than two seeds in both"
		}' "$dir/seeds" | while IFS="$(printf '\t')" read -r what found; do row "$what" "$found"; done
}

# lab trains the paper's next cells, from the runs that were packed on.
lab() {
	rm -rf work/runs
	mkdir -p work/runs/lab
	for file in lab-*.tar.gz; do [ ! -e "$file" ] || tar -xzf "$file" -C work/runs/lab; done
	code=0
	sh lab.sh --dir work/runs/lab --program ./acqnp-cuda --out "$PART_OUT" --seconds $((deadline - $(date +%s) - 2)) \
		-- --device cuda --jobs "${JOBS:-1}" --data-dir "$PWD/data" >"$dir/lab.txt" 2>&1 || code=$?
	for plan in sweeps/lab*.yaml; do (cd work/runs/lab && ../../../acqnp-cuda sweep status "../../../$plan" | sed -n '1s,.*sweeps/,,p') >>"$dir/status.txt" 2>&1 || true; done
	while read -r line; do row lab "$line"; done <"$dir/status.txt"
	case $code in 0 | 130) ;; *) fail lab "$(why $code "$dir/lab.txt")" ;; esac
}

kernels=internal-test-kernels engine=internal-engine-cuda
hopper='^TestWord(Wgmma|Bulk|Groups|Stmatrix|Positive)'
case $part in
words)
	group $kernels -test.run '^TestWord' -test.skip "$hopper"
	group $kernels -test.run "$hopper"
	verdict
	;;
kernels)
	group $kernels -test.run '^TestBranch'
	group $kernels -test.run "${TESTS:-.}" -test.skip '^Test(Word|Branch)'
	verdict
	;;
samebits)
	group $engine -test.run '^TestPairCheck'
	group $engine -test.run '^TestSameBits'
	verdict
	;;
models)
	group $engine -test.run "${TESTS:-Fused|Trains}" -test.skip '^TestSameBits'
	verdict
	;;
*) "$part" ;;
esac
