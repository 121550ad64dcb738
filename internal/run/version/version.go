// Package version names the version of this program.
package version

import (
	"regexp"
	"runtime/debug"
)

// release is the version that CHANGELOG.md describes at its head.
const release = "0.3.0"

// String returns the release and, if the program was built from another commit than that of the release's
// tag, the commit: "0.3.0 (fb7a902abcde)", or "0.3.0 (fb7a902abcde, modified)" if files had changed since. So
// `go install …@v0.3.0`, which knows no commit, is of the version of the release's programs. It is what
// --version prints and what checkpoints, eval.json and reports record.
func String() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	return of(info)
}

// pseudo matches the commit at the end of a pseudo-version, as `go install …@main` records it.
var pseudo = regexp.MustCompile(`-([0-9a-f]{12})(\+dirty)?$`)

func of(info *debug.BuildInfo) string {
	commit, modified := "", ""
	if m := pseudo.FindStringSubmatch(info.Main.Version); m != nil {
		commit = m[1]
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = ", modified"
		}
	}
	if commit == "" || info.Main.Version == "v"+release {
		return release
	}
	return release + " (" + commit + modified + ")"
}
