#!/bin/sh
# Prints the section of CHANGELOG.md for a tag. Fails unless the tag is the program's version and the
# changelog starts with its section, dated.
set -eu
tag=${1:?usage: release-notes.sh TAG}
version=${tag#v}
own=$(sed -n 's/^const release = "\(.*\)"/\1/p' internal/run/version/version.go)
if [ "$tag" = "$version" ] || [ "$version" != "$own" ]; then
	echo "release-notes: found the tag $tag, expected v$own, the program's version" >&2
	exit 1
fi
if [ "$(grep -c '^## \[Unreleased\]' CHANGELOG.md)" != 0 ] && sed -n '/^## \[Unreleased\]/,/^## \[[0-9]/p' CHANGELOG.md | grep -q '^- '; then
	echo "release-notes: found changes in CHANGELOG.md under Unreleased, expected them under [$version]" >&2
	exit 1
fi
notes=$(awk -v head="## [$version]" 'index($0, "## [") == 1 { on = index($0, head) == 1; next } on' CHANGELOG.md)
[ -n "$notes" ] || { echo "release-notes: CHANGELOG.md has no section [$version]" >&2 && exit 1; }
printf '%s\n' "$notes"
