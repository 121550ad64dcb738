#!/bin/sh
# Checks that the CUDA program needs only the driver's library and glibc, and no later glibc than the
# tag of its wheel (python/wheels.py) and its deb (.goreleaser.yaml) say.
set -eu
program=${1:?usage: needed.sh PROGRAM}
most=2.34
libraries=$(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | LC_ALL=C sort | xargs)
case $libraries in
"libc.so.6 libcuda.so.1" | "libc.so.6 libcuda.so.1 libdl.so.2 libpthread.so.0") ;;
*)
	echo "$program needs $libraries; expected libcuda.so.1 of the driver and libc.so.6 alone" >&2
	exit 1
	;;
esac
glibc=$(readelf -V "$program" | sed -n 's/.*Name: GLIBC_\([0-9.]*\).*/\1/p' | sort -Vu | tail -1)
if [ "$(printf '%s\n' "$glibc" $most | sort -V | tail -1)" != $most ]; then
	echo "$program needs glibc $glibc; expected $most or earlier" >&2
	exit 1
fi
echo "$program needs $libraries (glibc $glibc)"
