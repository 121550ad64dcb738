# Holds the milliseconds of gpu-check.sh's parts steps and torch to the goals for an H100, and prints a line
# of the table for each. The input are the lines of these parts.
function goal(label, text) { printf "%-28s %s\n", "goal, " label, text }
function verdict(holds) { return holds ? "HOLDS" : "MISSED" }
/^ms a step, / && $NF ~ /^[0-9.]+$/ {
	way = $0
	sub(/^ms a step, /, "", way)
	sub(/ +[0-9.]+$/, "", way)
	if (!sub(/^torch, /, "", way)) {
		ms[way] = $NF
	} else {
		split(way, word, " ")
		if (!(word[1] in best) || $NF < best[word[1]]) { best[word[1]] = $NF; mode[word[1]] = word[2] }
	}
}
END {
	n = split("acqnp fp16,0.70,acqnp fp32,3,cqnp fp16,0.35,cnp auto,0.10", goals, ",")
	for (i = 1; i < n; i += 2) {
		way = goals[i]
		if (way in ms) goal(way, sprintf("%s: %.3f ms, at most %s", verdict(ms[way] <= goals[i + 1]), ms[way], goals[i + 1]))
		else goal(way, "not measured")
	}
	n = split("acqnp fp16,cqnp fp16,cnp auto", ways, ",")
	for (i = 1; i <= n; i++) {
		split(ways[i], word, " ")
		label = word[1] ", times PyTorch"
		if (!(ways[i] in ms) || !(word[1] in best)) goal(label, "not measured")
		else goal(label, sprintf("%s: %.1f, at least 10; %s ms in %s", verdict(best[word[1]] >= 10 * ms[ways[i]]), best[word[1]] / ms[ways[i]], best[word[1]], mode[word[1]]))
	}
}
