#!/bin/sh
# Installs what the CUDA program is built with on Debian 12: g++, make, and nvcc from Debian's own nvidia-cuda-toolkit (11.8).
set -eu
command -v nvcc >/dev/null && command -v g++ >/dev/null && command -v make >/dev/null && exit
# shellcheck source=/dev/null
. /etc/os-release
if [ "${ID:-}" != debian ]; then
	echo "install nvcc (CUDA 11.8), g++ and make: this script knows Debian only" >&2
	exit 1
fi
# The toolkit is in Debian's components contrib and non-free, which most machines leave out.
for list in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
	[ -f "$list" ] || continue
	# one line an archive: deb URI SUITE main; or a file of fields: Components: main
	sed -i -E '/^(Components:|deb .*debian)/{/non-free( |$)/!s/ main( |$)/ main contrib non-free\1/}' "$list"
done
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -y -q --no-install-recommends g++ make nvidia-cuda-toolkit
