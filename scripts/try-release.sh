#!/bin/sh
# Tries the archive, the deb and the rpm of a release for this machine, each in a root of its own: the archive
# in one that holds nothing else, the deb in a minimal Debian, the rpm in an empty one. The program must work
# there on own data, without network, and predict the same bytes. Needs root, mmdebstrap and rpm.
# DEBIAN_ROOT names a minimal Debian that is there already.
set -eu
dist=$(cd "${1:?usage: try-release.sh FOLDER}" && pwd)
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
chroot "$work/debian" dpkg --purge acqnp
[ ! -e "$work/debian/usr/bin/acqnp" ]

echo "== rpm, in an empty root"
mkdir "$work/rpm"
rpm -qip acqnp_*_amd64.rpm
rpm --root "$work/rpm" --install --nodeps acqnp_*_amd64.rpm
rpm --root "$work/rpm" --query --list acqnp
own "$work/rpm" /usr/bin/acqnp

cmp "$work/predictions.1" "$work/predictions.2"
cmp "$work/predictions.1" "$work/predictions.3"
grep -l 'github.com/spf13/cobra' ./*.sbom.json
echo "archive, deb and rpm predict the same bytes, without network; all bills of materials name cobra:"
[ "$(grep -l 'github.com/spf13/cobra' ./*.sbom.json | wc -l)" = "$(echo ./*.tar.gz ./*.zip | wc -w)" ]
