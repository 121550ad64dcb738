#!/bin/sh
# Collects in DIR, and in DIR.tar.xz, what gpu-check.sh needs on a machine with a GPU but without Go.
# Environment: OLD is research/launches of another commit, whose kernels are timed beside the new ones, DATA
# names folders of data sets, RUNS the folder of lab.sh whose runs go on. The kernels for sm_90a, an H100's own, are
# packed if nvcc knows it, as those of CUDA 12 and later do.
set -eu
cd "$(dirname "$0")/.."
dir=${1:?usage: gpu-check-pack.sh DIR}
compiled=${COMPILED:-kernels} # where make fatbins has written what it compiled for
rm -rf "$dir" "$dir.tar.xz"
mkdir -p "$dir/tests" "$dir/trials" "$dir/bin" "$dir/peer" "$dir/data"
# In the programs of tests, pairs trap where they would wait forever for a copy (BOUNDED of hopper.h).
bounded=$(mktemp -d)
DEFINE=-DBOUNDED sh scripts/fatbin.sh kernels/branch_f16_pairs.cu "$bounded/fatbin" "$bounded/ptxas" "${ARCHS:-90}"
echo "{\"Replace\": {\"$PWD/kernels/fatbin/branch_f16_pairs.fatbin\": \"$bounded/fatbin\"}}" >"$bounded/overlay"
for package in internal/test/kernels internal/engine/cuda; do
	go test -c -trimpath -overlay="$bounded/overlay" -ldflags='-s -w' -tags gpu,netgo,osusergo -o "$dir/tests/$(echo $package | tr / -).test" "./$package"
done
rm -r "$bounded"
cp -r configs "$dir"
mkdir "$dir/sweeps"
cp sweeps/lab*.yaml "$dir/sweeps"
cp research/peer/torch_step.py "$dir/peer"
cp scripts/gpu-check.sh scripts/gpu-check-part.sh scripts/gpu-check-first.awk scripts/gpu-check-table.awk scripts/gpu-check-goals.awk scripts/lab.sh research/data/gpu-old-new.csv "$dir"
grep '^Double Sine,ACQNP,0,' research/data/paper-cells.csv >"$dir/double-sine-before.csv"
strip -o "$dir/acqnp-cuda" acqnp-cuda
go build -C research -trimpath -ldflags='-s -w' -tags gpu,netgo,osusergo -o "$(realpath "$dir")/launches-new" ./launches
[ -z "${OLD:-}" ] || strip -o "$dir/launches-old" "$OLD"
for folder in ${DATA:-}; do cp -rL "$folder" "$dir/data"; done
{ git rev-parse HEAD 2>/dev/null && git status --porcelain --untracked-files=no; } >"$dir/commit" || echo unknown >"$dir/commit"

lacks=
for kernels in fatbin/branch_f16_pairs vocabulary/vocabulary_hopper; do
	grep -qsw 90a "$compiled/$kernels.gpus" || lacks="$lacks $kernels"
done
if [ -z "$lacks" ]; then
	echo packed >"$dir/sm_90a"
else
	echo "NOT PACKED, as nvcc $(nvcc --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p') compiled none:$lacks; an H100 runs mma.sync" | tee "$dir/sm_90a" >&2
fi

cp research/roofline/ceilings.cu "$dir/trials"
if [ -z "$lacks" ]; then
	nvcc -O3 -std=c++17 -L"$(dirname "$(command -v nvcc)")/../lib" -gencode arch=compute_90a,code=sm_90a -DHOPPER -o "$dir/bin/ceilings" "$dir/trials/ceilings.cu"
fi
# For machines with another GPU, or without nvcc.
plain=
for arch in 75 80 90; do plain="$plain -gencode arch=compute_$arch,code=sm_$arch"; done
# shellcheck disable=SC2086 # several words
nvcc -O3 -std=c++17 -L"$(dirname "$(command -v nvcc)")/../lib" $plain -gencode arch=compute_90,code=compute_90 -o "$dir/bin/ceilings-plain" research/roofline/ceilings.cu

# Runs that are done travel without their weights: their checkpoint is an empty file.
if [ -n "${RUNS:-}" ]; then
	runs=$(mktemp -d)
	(cd "$RUNS" && find runs -name config.yaml) | while read -r config; do
		run=${config%/*}
		mkdir -p "$runs/$run/checkpoints"
		newest=$(find "$RUNS/$run/checkpoints" -name 'step-*.safetensors' | sort -t- -k2 -V | tail -1)
		cp "$RUNS/$run"/*.yaml "$RUNS/$run"/*.json* "$runs/$run"
		if [ -e "$RUNS/$run/eval.json" ]; then
			: >"$runs/$run/checkpoints/$(basename "$newest")"
			: >"$runs/$run/weights.safetensors"
		elif [ -n "$newest" ]; then
			cp "$newest" "$runs/$run/checkpoints"
		fi
	done
	tar -czf "$dir/lab-runs.tar.gz" -C "$runs" runs
	rm -rf "$runs"
fi
# The programs are alike: over a long distance xz finds what they share, two thirds of them.
tar -C "$(dirname "$dir")" -cf - "$(basename "$dir")" | xz --lzma2=preset=1,dict=128MiB >"$dir.tar.xz"
echo "packed $dir.tar.xz, $(($(wc -c <"$dir.tar.xz") >> 20)) MiB; on a machine with a GPU: sh $(basename "$dir")/gpu-check.sh measure"
