#!/bin/sh
# Writes docs/reference/licences.md, and all texts to FOLDER (bin/release). Refuses licences that are not permitted.
set -eu
cd "$(dirname "$0")/.."
out=${1:-bin/release}
mkdir -p "$out"
go run -C tools/licences . --root "$PWD" --page "$PWD/docs/reference/licences.md" --texts "$PWD/$out/THIRD_PARTY_LICENSES.txt"
