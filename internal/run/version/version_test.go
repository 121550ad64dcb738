package version

import (
	"runtime/debug"
	"testing"
)

func TestVersionNamesReleaseAndCommit(t *testing.T) {
	setting := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	revision := setting("vcs.revision", "fb7a902abcde0123456789abcdef0123456789ab")
	for _, c := range []struct {
		module   string
		settings []debug.BuildSetting
		want     string
	}{
		{"(devel)", nil, "0.3.0"},
		{"v0.3.0", nil, "0.3.0"}, // go install
		{"v0.3.0", []debug.BuildSetting{revision, setting("vcs.modified", "false")}, "0.3.0"}, // a release
		{"v0.3.0+dirty", []debug.BuildSetting{revision, setting("vcs.modified", "true")}, "0.3.0 (fb7a902abcde, modified)"},
		{"v0.2.0", []debug.BuildSetting{revision}, "0.3.0 (fb7a902abcde)"}, // the tag of another release
		{"(devel)", []debug.BuildSetting{revision, setting("vcs.modified", "false")}, "0.3.0 (fb7a902abcde)"},
		{"v0.2.1-0.20261122041823-fb7a902abcde+dirty",
			[]debug.BuildSetting{revision, setting("vcs.modified", "true")}, "0.3.0 (fb7a902abcde, modified)"},
		{"v0.0.0-20261122041823-7193d22cfe9e", nil, "0.3.0 (7193d22cfe9e)"},
		{"(devel)", []debug.BuildSetting{setting("vcs.revision", "abc")}, "0.3.0 (abc)"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.module}, Settings: c.settings}
		if got := of(info); got != c.want {
			t.Errorf("module %s with %v: version %q, want %q", c.module, c.settings, got, c.want)
		}
	}
}
