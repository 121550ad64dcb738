#!/bin/sh
# Makes the files of a release in bin/dist: goreleaser's archives and packages, and the wheels of the same
# programs. `make release` calls it, whose variables build the CUDA program. Without NOTES, the file of the
# release's notes, it signs and uploads nothing, and the version is that of the program, whether or not there
# is a tag. Tools that are not in PATH are installed to bin/tools.
set -eu
GORELEASER=github.com/goreleaser/goreleaser/v2@v2.16.0 # 2.17 and later need a module that Go's proxy refuses, or Go 1.27
SYFT=github.com/anchore/syft/cmd/syft@v1.57.1
PATH=$PATH:$PWD/bin/tools
export PATH
command -v goreleaser >/dev/null || GOBIN=$PWD/bin/tools go install "$GORELEASER"
command -v syft >/dev/null || GOBIN=$PWD/bin/tools go install "$SYFT"
GORELEASER_CURRENT_TAG=v$(sed -n 's/^const release = "\(.*\)"/\1/p' internal/run/version/version.go)
export GORELEASER_CURRENT_TAG
# goreleaser asks for the name of a remote repository; a checkout may have none.
if ! git remote get-url origin >/dev/null 2>&1; then
	export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.origin.url GIT_CONFIG_VALUE_0=https://github.com/acqnp/acqnp.git
fi
goreleaser check
if [ -n "${NOTES:-}" ]; then
	goreleaser release --clean --release-notes="$NOTES"
else
	goreleaser release --snapshot --clean --skip=sign --parallelism="$(nproc)"
fi
cd bin/dist
python3 ../../python/wheels.py wheels linux/amd64=acqnp_linux_amd64_v1/acqnp linux/arm64=acqnp_linux_arm64_v8.0/acqnp \
	darwin/amd64=acqnp_darwin_amd64_v1/acqnp darwin/arm64=acqnp_darwin_arm64_v8.0/acqnp \
	windows/amd64=acqnp_windows_amd64_v1/acqnp.exe cuda=acqnp-cuda_linux_amd64_v1/acqnp-cuda
