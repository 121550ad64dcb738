#!/bin/sh
# Writes what a release has beside the program: completions, man pages, which gzip packs as Debian wants them, and
# licences.
set -eu
out=${1:?usage: release-files.sh FOLDER}
make build
sh scripts/licences.sh "$out"
rm -rf "$out/completions" "$out/man"
mkdir -p "$out/completions" "$out/man"
./acqnp completion bash >"$out/completions/acqnp.bash"
./acqnp completion zsh >"$out/completions/_acqnp"
./acqnp completion fish >"$out/completions/acqnp.fish"
./acqnp completion powershell >"$out/completions/acqnp.ps1"
MAN=$(cd "$out/man" && pwd) go test -count=1 -run ManPages ./internal/cli
gzip -9n "$out"/man/*.1
