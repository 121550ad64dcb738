#!/bin/sh
# Installs the wheel into new virtual environments of the Pythons that are there, and runs the tests of the
# package: with NumPy alone, then with scikit-learn, pandas, polars and matplotlib. The last Python runs the
# notebook in Jupyter too. Packages come from PyPI. Arguments name other versions than 3.10 to 3.13.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset ACQNP PYTHONPATH || true

# python_of prints the path of a Python of a version, nothing if there is none.
python_of() { # VERSION
	for found in "$HOME/.pyenv/versions/$1".*/bin/python "$(command -v "python$1" || true)"; do
		if [ -x "$found" ] && "$found" -c "import sys, venv; sys.exit('%d.%d' % sys.version_info[:2] != '$1')" 2>/dev/null; then
			echo "$found"
			return
		fi
	done
}

tests() { # PYTHON: runs the tests outside the checkout, against the package that is installed
	(cd "$work" && ACQNP_INSTALLED=1 "$1" -W error::ResourceWarning -m unittest discover -s tests -t .)
}

maker=
for version in 3.13 3.12 3.11; do
	[ -n "$maker" ] || maker=$(python_of $version)
done
[ -n "$maker" ] || { echo "pythons.sh: found no Python 3.11 to 3.13, which make the wheel" >&2 && exit 1; }
"$maker" python/wheels.py "$work/wheels" "$(go env GOOS)/$(go env GOARCH)=./acqnp"
cp -R python/tests "$work/tests"

last=
[ $# -gt 0 ] || set -- 3.10 3.11 3.12 3.13
for version in "$@"; do
	python=$(python_of "$version")
	[ -n "$python" ] || { echo "skipped: there is no Python $version" && continue; }
	echo "== Python $version, NumPy alone"
	"$python" -m venv "$work/$version"
	last=$work/$version/bin/python
	"$last" -m pip install -q --disable-pip-version-check "$work"/wheels/*.whl
	"$work/$version/bin/acqnp" --version
	tests "$last"
	echo "== Python $version, all"
	"$last" -m pip install -q --disable-pip-version-check "$(echo "$work"/wheels/*.whl)[sklearn,plot]" pandas polars
	"$last" -m pip list --disable-pip-version-check | grep -E '^(numpy|scikit-learn|scipy|pandas|polars|matplotlib) '
	tests "$last"
done

echo "== the notebook"
"$last" -m pip install -q --disable-pip-version-check nbconvert ipykernel
cp docs/tutorial/python.ipynb "$work/notebook.ipynb"
(cd "$work" && "$last" -m nbconvert --to notebook --execute --output done.ipynb notebook.ipynb)
