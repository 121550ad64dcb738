#!/bin/sh
# Runs the tests of numerical results (agreement, gradients, golden results, resumed runs) with
# every set of SIMD kernels that this machine can run but the best, which a plain `go test` uses, and
# names the other sets.
set -eu
cd "$(dirname "$0")/.."
best=
for path in amx avx512 avx2 portable; do
	export ACQNP_SIMD=$path
	# this test prints the set that runs
	if ! ACQNP_SIMD_TEST_CHILD=1 go test -count=1 -v -run '^TestTheEnvironmentIsRead$' ./internal/simd | grep -q "^runs $path$"; then
		echo "$path: skipped, this machine cannot run it"
		continue
	fi
	if [ -z "$best" ]; then
		best=$path
		echo "$path: left to go test"
		continue
	fi
	echo "$path:"
	go test -count=1 ./internal/engine/... ./internal/simd ./internal/test/golden
	go test -count=1 -run 'Resume|Killed|TrainingLowersTheLoss' ./internal/train
done
