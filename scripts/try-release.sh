#!/bin/sh
# Tries the archive, the deb and the rpm of a release for this machine, each in a root of its own: the archive
# in one that holds nothing else, the deb in a minimal Debian, the rpm in an empty one. The program must work
# there on own data, without network, and predict the same bytes. In the Debian, it must also find acqnp-cuda
# from its deb, archive and wheel. Needs root, mmdebstrap, rpm, pip and `make bin/driver/libcuda.so.1`.
# DEBIAN_ROOT names a minimal Debian that is there already.
set -eu
dist=$(cd "${1:?usage: try-release.sh FOLDER}" && pwd)
driver=$(pwd)/bin/driver/libcuda.so.1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# own tries the program in a root and leaves its predictions in the root's /work.
own() { # ROOT PROGRAM
	mkdir "$1/work"
	printf 'product,age,price\nnew,1,500\nnew,2,300\n' >"$1/work/context.csv"
	inside() { unshare -n chroot "$root" "$program" "$@"; }
	root=$1 program=$2
	inside --version
	inside data example --out /work/prices.csv
	inside fit /work/prices.csv 'price ~ age | product' --instant --quiet --out /work/prices.fit >"$work/said"
	inside predict /work/prices.fit --context /work/context.csv --grid=0.2:6:100 --out /work/predictions.csv --plot /work/plot.png
	inside score /work/prices.fit --targets /work/context.csv
	cp "$1/work/predictions.csv" "$work/predictions.$((tried += 1))"
}
tried=0

# cuda has acqnp find acqnp-cuda in a folder of the Debian: without a driver, and with the stand-in for one.
cuda() { # FOLDER
	# shellcheck disable=SC2016 # the inner shell has the $0 and $@; a program finds its folder by /proc
	doctor() { unshare -n -m sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" /usr/bin/env "$@" doctor' "$work/debian" "$@"; }
	doctor "$1/acqnp" | grep "^CUDA engine $1/acqnp-cuda, not usable: there is no NVIDIA driver (libcuda.so.1)"
	doctor LD_LIBRARY_PATH=/driver "$1/acqnp" | grep "^CUDA engine $1/acqnp-cuda, machine code for GPUs of 7.5, .*, the GPU runs machine code\$"
}

cd "$dist"
sha256sum --check --quiet checksums.txt
echo "== archive, in an empty root"
mkdir "$work/archive"
tar -C "$work/archive" --strip-components=1 -xzf acqnp_*_linux_amd64.tar.gz
(cd "$work/archive" && find . -type f | sort | head -20)
own "$work/archive" /acqnp

echo "== deb, in a minimal Debian"
if [ -n "${DEBIAN_ROOT:-}" ]; then
	cp -a "$DEBIAN_ROOT" "$work/debian"
else
	mmdebstrap --quiet --variant=essential bookworm "$work/debian"
fi
cp acqnp_*_amd64.deb "$work/debian/acqnp.deb"
chroot "$work/debian" dpkg --install /acqnp.deb
chroot "$work/debian" dpkg --listfiles acqnp
own "$work/debian" /usr/bin/acqnp

echo "== acqnp-cuda, from its deb, archive and wheel"
mkdir "$work/debian/driver" "$work/debian/archive"
cp "$driver" "$work/debian/driver/"
cp acqnp-cuda_*_amd64.deb "$work/debian/acqnp-cuda.deb"
chroot "$work/debian" dpkg --install /acqnp-cuda.deb
cuda /usr/bin
tar -C "$work/debian/archive" --strip-components=1 -xzf acqnp_*_linux_amd64.tar.gz
tar -C "$work/debian/archive" --strip-components=1 -xzf acqnp-cuda_*_linux_amd64.tar.gz
cuda /archive
python3 -m pip install -q --disable-pip-version-check --no-index --no-deps --target "$work/debian/python" wheels/acqnp-*_x86_64.*linux*.whl wheels/acqnp_cuda-*.whl
cuda /python/bin

chroot "$work/debian" dpkg --purge acqnp-cuda acqnp
[ ! -e "$work/debian/usr/bin/acqnp" ]

echo "== rpm, in an empty root"
mkdir "$work/rpm"
rpm -qip acqnp_*_amd64.rpm acqnp-cuda_*_amd64.rpm
rpm --root "$work/rpm" --install --nodeps acqnp_*_amd64.rpm acqnp-cuda_*_amd64.rpm
rpm --root "$work/rpm" --query --list acqnp acqnp-cuda
own "$work/rpm" /usr/bin/acqnp

cmp "$work/predictions.1" "$work/predictions.2"
cmp "$work/predictions.1" "$work/predictions.3"
grep -l 'github.com/spf13/cobra' ./*.sbom.json
echo "archive, deb and rpm predict the same bytes, without network; all bills of materials name cobra:"
[ "$(grep -l 'github.com/spf13/cobra' ./*.sbom.json | wc -l)" = "$(echo ./*.tar.gz ./*.zip | wc -w)" ]
