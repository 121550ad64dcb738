#!/bin/sh
# Makes a release in bin/dist with goreleaser, without signatures and uploads. Its version is that of the
# program, whether or not there is a tag. Tools that are not in PATH are installed to bin/tools.
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
goreleaser release --snapshot --clean --skip=sign --parallelism="$(nproc)"
