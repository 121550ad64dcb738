#!/bin/sh
# Checks that the CUDA program needs only the driver's library and glibc. Prints the glibc version
# that it needs.
set -eu
program=${1:?usage: needed.sh PROGRAM}
libraries=$(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
driver=no
for library in $libraries; do
	case $library in
	libcuda.so.1) driver=yes ;;
	libc.so.6 | libpthread.so.0 | libdl.so.2 | ld-linux-x86-64.so.2 | ld-linux-aarch64.so.1) ;;
	*)
		echo "$program needs $library; it must need only libcuda.so.1 and glibc" >&2
		exit 1
		;;
	esac
done
if [ $driver = no ]; then
	echo "$program is not linked with libcuda.so.1, so it cannot use a GPU" >&2
	exit 1
fi
glibc=$(readelf -V "$program" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -1)
echo "$program needs $(echo "$libraries" | xargs) (${glibc:-no version of glibc})"
