# Names the first test that failed in what a program of tests printed with -test.v, the innermost, with its
# first words, and the test in which the GPU was lost.
/^=== (RUN|NAME|CONT) / { now = $3; if ($2 == "RUN") order[++n] = now; next }
/^ *--- FAIL: / { failed[$3] = 1 }
/^panic: / { failed[now] = 1; said[now] = $0 }
/^ +[a-z_0-9]+_test\.go:[0-9]+: / && !(now in said) { sub(/^ +/, ""); said[now] = $0 }
/the GPU is lost/ { lost = now; failed[now] = 1 }
END {
	for (i = 1; i <= n; i++) if (order[i] in failed && (first == "" || index(order[i], first "/") == 1)) first = order[i]
	print first (first in said ? ": " said[first] : "") (lost != "" && lost != first ? "; then the GPU was lost in " lost : "")
}
