#!/bin/sh
# image.sh COMMAND… builds the images of Dockerfile and Dockerfile.cuda from the last commit with
# podman, whose builder is buildah, and runs a command beside them: PODMAN has the words that call
# podman, REVISION the commit. A base that a registry has is pulled. For one that cannot be pulled,
# a stand-in under its name is made from Debian's packages and this machine's Go. As root, it
# installs podman, runc and mmdebstrap from Debian where they are missing.
#   KEEP=1               keeps the storage, and with it the bases for the next time
#   IMAGE_STORAGE=DIR    where the images are meanwhile; about 15 GB in /var/tmp/acqnp-image
set -eu
cd "$(dirname "$0")/.."
if [ "$(id -u)" -ne 0 ]; then
	echo "image.sh: run it as root, which builds images without a daemon" >&2
	exit 1
fi
for program in podman runc mmdebstrap; do
	command -v $program >/dev/null && continue
	apt-get update -q
	DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends podman runc mmdebstrap
done

dir=${IMAGE_STORAGE:-/var/tmp/acqnp-image}
work=$(mktemp -d)
mkdir -p "$dir"
ended() {
	status=$?
	trap - EXIT INT TERM HUP
	rm -rf "$work"
	if [ -z "${KEEP:-}" ]; then
		$PODMAN rm --all --force >/dev/null 2>&1 || true
		umount "$dir"/*/overlay 2>/dev/null || true
		rm -rf "$dir"
	fi
	exit "$status"
}
# Where a machine's limits are low, podman's own are refused. runc also runs beside cgroups of both kinds.
cat >"$dir/containers.conf" <<EOF
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
EOF
export CONTAINERS_CONF="$dir/containers.conf"
driver=overlay
podman --root "$work/probe" --runroot "$work/probe/run" --storage-driver overlay info >/dev/null 2>&1 || driver=vfs
export PODMAN="podman --root $dir/storage --runroot $dir/run --storage-driver $driver"
trap ended EXIT
trap 'exit 130' INT TERM HUP

# base NAME PREFIX: makes sure that the base NAME is there; PREFIX makes a stand-in in "$work/base".
base() {
	if $PODMAN image exists "$1"; then
		echo "base $1: as before"
	elif $PODMAN pull -q "$1" >/dev/null 2>&1; then
		echo "base $1: pulled"
	else
		echo "base $1: cannot be pulled, a stand-in is made"
		$2 "$1"
	fi
}

debian() { # NAME: Debian's smallest system, without manuals, as the slim images are
	# shellcheck disable=SC2016 # mmdebstrap's shell has the $1
	mmdebstrap --quiet --variant=minbase --aptopt='Apt::Install-Recommends "false"' \
		--customize-hook='cd "$1/usr/share" && rm -rf doc/* man/* locale/* info/*' trixie "$work/debian.tar"
	$PODMAN import -q --change 'CMD ["bash"]' "$work/debian.tar" "docker.io/library/$1" >/dev/null
	rm "$work/debian.tar"
}

golang() { # NAME: Debian with a compiler, git and the Go of that version, which the module proxy has
	found=${1#golang:}
	found=$(GOTOOLCHAIN=go${found%%-*} go env GOROOT)
	$PODMAN build -q --isolation chroot --format docker -t "docker.io/library/$1" -f - "$found" >/dev/null <<EOF
FROM $debian
RUN apt-get update -q && apt-get install -y -q --no-install-recommends ca-certificates git g++ gcc libc6-dev make pkg-config && rm -rf /var/lib/apt/lists/*
COPY . /usr/local/go
ENV GOTOOLCHAIN=local GOPATH=/go PATH=/go/bin:/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
WORKDIR /go
EOF
}

debian=$(sed -n 's/^FROM \(debian:[^ ]*\)$/\1/p' Dockerfile.cuda)
base "$debian" debian
base "golang:$(sed -n 's/^ARG GO=//p' Dockerfile)-trixie" golang

REVISION=$(git rev-parse HEAD)
export REVISION
git status --porcelain --untracked-files=no | grep -q . && echo "the images have the last commit, without the changes since"
git clone -q . "$work/src" # with .git, from which the programs learn their commit
roots=/etc/ssl/certs/ca-certificates.crt # a build trusts whom this machine trusts, its proxy perhaps
build() { # NAME FILE
	began=$(date +%s)
	$PODMAN build --isolation chroot --format docker --layers=false --pull=never -v $roots:$roots:ro --build-arg REVISION="$REVISION" -t "$1" -f "$work/src/$2" "$work/src" >"$work/log" 2>&1 || {
		tail -n 60 "$work/log" >&2
		exit 1
	}
	echo "$1: $($PODMAN image inspect --format '{{.Size}}' "$1") bytes, built in $(($(date +%s) - began)) s"
}
build acqnp Dockerfile
build acqnp-cuda Dockerfile.cuda
echo "storage: $(du -sh "$dir" | cut -f1)"
"$@"
