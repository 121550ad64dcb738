#!/bin/sh
# Collects in DIR what gpu-check.sh needs on a machine with a GPU but without Go and nvcc: the
# programs, tests compiled with the tag gpu, configurations and the PyTorch scripts.
set -eu
cd "$(dirname "$0")/.."
dir=${1:?usage: gpu-check-pack.sh DIR}
rm -rf "$dir"
mkdir -p "$dir/tests"
for package in internal/test/kernels internal/engine/cuda; do
	go test -c -trimpath -tags gpu,netgo,osusergo -o "$dir/tests/$(echo $package | tr / -).test" "./$package"
done
cp -r acqnp acqnp-cuda configs tools/peer scripts/gpu-check.sh "$dir"
{ git rev-parse HEAD 2>/dev/null && git status --porcelain --untracked-files=no; } >"$dir/commit" || echo unknown >"$dir/commit"
echo "packed $dir; on a machine with a GPU run: sh $dir/gpu-check.sh"
