#!/bin/sh
# Writes in DIR what gcc links with in place of this machine's glibc, so that a program runs with glibc VERSION
# too: old-glibc.sh DIR VERSION. It has the names of this machine's glibc, each in the newest form that VERSION
# had; what came later is undefined. Until 2.34 threads and dlsym were in libraries of their own, which a
# program names: only where a library comes from is not written beside a name.
set -eu
dir=$1 most=$2
mkdir -p "$dir"
for library in libc.so.6 libpthread.so.0 libdl.so.2; do
	readelf -W --dyn-syms "$(gcc -print-file-name=$library)"
done | awk -v most="$most" -v versions="$dir/libc.versions" '
	function number(text,  part) { split(text, part, "."); return part[1] * 1e6 + part[2] * 1e3 + part[3] }
	$4 ~ /^(FUNC|IFUNC|OBJECT)$/ && $5 ~ /^(GLOBAL|WEAK)$/ && $7 != "UND" && split($8, of, /@+GLIBC_/) == 2 && of[2] ~ /^[0-9.]+$/ {
		n = number(of[2])
		if (n <= number(most) && n > newest[of[1]]) { newest[of[1]] = n; version[of[1]] = of[2]; size[of[1]] = $4 == "OBJECT" ? $3 : 0 }
	}
	END {
		for (name in version) {
			printf "%s\n.globl %s\n.type %s, %%%s\n%s: .zero %d\n.size %s, %d\n", size[name] ? ".data" : ".text", name, name,
				size[name] ? "object" : "function", name, size[name] ? size[name] : 4, name, size[name]
			names[version[name]] = names[version[name]] name "; "
		}
		for (v in names) print "GLIBC_" v " { global: " names[v] "};" >versions
		print ".section .note.GNU-stack, \"\", %progbits"
	}' >"$dir/libc.s"
gcc -shared -nostdlib -Wl,-soname,libc.so.6 -Wl,--version-script="$dir/libc.versions" -o "$dir/libc.so" "$dir/libc.s"
for name in pthread.so.0 dl.so.2; do
	gcc -shared -nostdlib -Wl,-soname,lib$name -o "$dir/lib${name%%.*}.so" -x c /dev/null
done
