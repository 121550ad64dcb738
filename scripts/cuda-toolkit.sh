#!/bin/sh
# Installs the tools that build the CUDA program on Debian: g++, make, and nvcc from Debian's
# nvidia-cuda-toolkit, 12.4 on Debian 13 and 11.8, which does not know sm_90a, on Debian 12.
set -eu
command -v nvcc >/dev/null && command -v g++ >/dev/null && command -v make >/dev/null && exit
# shellcheck source=/dev/null
. /etc/os-release
if [ "${ID:-}" != debian ]; then
	echo "found ${ID:-an unknown system}, but this script installs only on Debian: install nvcc (CUDA 11.8 or later), g++ and make yourself" >&2
	exit 1
fi
# The toolkit is in the components contrib and non-free, which most machines do not list.
for list in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
	[ -f "$list" ] || continue
	# either lines "deb URI SUITE main", or a field "Components: main"
	sed -i -E '/^(Components:|deb .*debian)/{/non-free( |$)/!s/ main( |$)/ main contrib non-free\1/}' "$list"
done
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -y -q --no-install-recommends g++ make nvidia-cuda-toolkit
