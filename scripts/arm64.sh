#!/bin/sh
# Runs tests of numbers as arm64 programs under qemu (Debian: qemu-user-static): PyTorch's results, the
# kernels in plain Go, likelihoods and models. An emulated processor takes many times as long as a real one,
# and cannot run the test that starts itself.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for package in internal/test/golden internal/simd internal/likelihood internal/models internal/random; do
	CGO_ENABLED=0 GOARCH=arm64 go test -c -o "$folder/test" "./$package"
	(cd "$package" && qemu-aarch64-static "$folder/test" -test.short -test.skip TestTheEnvironmentIsRead >"$folder/said") ||
		{ cat "$folder/said" && echo "$package failed" && exit 1; }
	echo "$package: $(tail -1 "$folder/said")"
done
