#!/bin/sh
# Prints the section of CHANGELOG.md for a tag. Fails unless the tag is the program's version and the changelog
# has its section, and no change waits in changelog.
#   release-notes.sh --collect VERSION   moves the files of changelog into a new section of that version, dated today
set -eu
cd "$(dirname "$0")/.."
waiting=$(find changelog -name '*.md' ! -name README.md | sort)
if [ "${1:-}" = --collect ]; then
	version=${2:?usage: release-notes.sh --collect VERSION}
	[ -n "$waiting" ] || { echo "release-notes: changelog has no changes" >&2 && exit 1; }
	{
		sed '/^## /,$d' CHANGELOG.md
		echo "## [$version] - $(date -u +%F)"
		for kind in added changed removed fixed; do
			files=$(echo "$waiting" | grep "^changelog/$kind-" || true)
			# shellcheck disable=SC2086 # several names without spaces
			[ -z "$files" ] || { echo "### $kind" | sed 's/ a/ A/; s/ c/ C/; s/ r/ R/; s/ f/ F/' && cat $files && echo; }
		done
		sed -n '/^## /,$p' CHANGELOG.md
	} >CHANGELOG.new
	mv CHANGELOG.new CHANGELOG.md
	echo "$waiting" | xargs git rm -q
	exit
fi
tag=${1:?usage: release-notes.sh TAG}
version=${tag#v}
own=$(sed -n 's/^const release = "\(.*\)"/\1/p' internal/run/version/version.go)
if [ "$tag" = "$version" ] || [ "$version" != "$own" ]; then
	echo "release-notes: found the tag $tag, expected v$own, the program's version" >&2
	exit 1
fi
if [ -n "$waiting" ]; then
	echo "release-notes: found changes in changelog, expected them under [$version] (--collect $version)" >&2
	exit 1
fi
grep -q "^## \[$version\] - [0-9]" CHANGELOG.md || { echo "release-notes: CHANGELOG.md has no dated section [$version]" >&2 && exit 1; }
notes=$(awk -v head="## [$version]" 'index($0, "## [") == 1 { on = index($0, head) == 1; next } on' CHANGELOG.md)
printf '%s\n' "$notes"
