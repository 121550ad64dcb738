#!/bin/sh
# Checks that the CUDA program needs only the driver's library and glibc, and no later glibc than the
# tag of its wheel (python/wheels.py) and its deb (.goreleaser.yaml) say.
set -eu
program=${1:?usage: needed.sh PROGRAM}
most=2.28
libraries=$(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | LC_ALL=C sort | xargs)
expected='libc.so.6 libcuda.so.1 libdl.so.2 libpthread.so.0'
if [ "$libraries" != "$expected" ]; then
	echo "$program needs $libraries; expected $expected" >&2
	exit 1
fi
# Linked on glibc 2.34 or later, it has no code that calls constructors, and an earlier glibc leaves it to the
# program: there may be none but the compiler's own, which does nothing here.
if [ "$(readelf -d "$program" | sed -n 's/.*(INIT_ARRAYSZ) *\([0-9]*\) .*/\1/p')" != 8 ]; then
	echo "$program has constructors of C, which an old glibc does not call" >&2
	exit 1
fi
glibc=$(readelf -V "$program" | sed -n 's/.*Name: GLIBC_\([0-9.]*\).*/\1/p' | sort -Vu | tail -1)
if [ "$(printf '%s\n' "$glibc" $most | sort -V | tail -1)" != $most ]; then
	echo "$program needs glibc $glibc; expected $most or earlier" >&2
	exit 1
fi
echo "$program needs $libraries (glibc $glibc)"
