#!/bin/sh
# Collects in DIR, and in DIR.tar.gz, what gpu-check.sh needs on a machine with a GPU but without Go
# and nvcc: the program, tests compiled with the tag gpu, configurations and the PyTorch scripts.
set -eu
cd "$(dirname "$0")/.."
dir=${1:?usage: gpu-check-pack.sh DIR}
rm -rf "$dir" "$dir.tar.gz"
mkdir -p "$dir/tests"
for package in internal/test/kernels internal/engine/cuda; do
	go test -c -trimpath -ldflags='-s -w' -tags gpu,netgo,osusergo -o "$dir/tests/$(echo $package | tr / -).test" "./$package"
done
cp -r configs tools/peer "$dir"
cp scripts/gpu-check.sh scripts/gpu-check-timings.sh scripts/gpu-check-training.sh "$dir"
strip -o "$dir/acqnp-cuda" acqnp-cuda
{ git rev-parse HEAD 2>/dev/null && git status --porcelain --untracked-files=no; } >"$dir/commit" || echo unknown >"$dir/commit"
tar -C "$(dirname "$dir")" -czf "$dir.tar.gz" "$(basename "$dir")"
echo "packed $dir; on a machine with a GPU run: sh $dir/gpu-check.sh"
