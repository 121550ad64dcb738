"""Which program each name of the results stands for: results/runs.csv, a line a name. One name is one commit."""
import csv
import os
import platform
import subprocess
import time

COLUMNS = ["tool", "commit", "date", "machine", "note"]


def load(out):
    file = os.path.join(out, "runs.csv")
    return list(csv.DictReader(open(file, newline=""))) if os.path.exists(file) else []


def note(out, tools):
    """Adds the lines that the tools lack. It ends the program where a name stands for another commit."""
    lines = load(out)
    of = {line["tool"]: line["commit"] for line in lines}
    for name, commit in dict(named(t) for t in tools).items():
        if name not in of:
            lines.append(dict(tool=name, commit=commit, date=time.strftime("%Y-%m-%d"), machine=machine(), note=""))
        elif name == "rivals":
            line = next(line for line in lines if line["tool"] == name)
            if commit not in line["commit"].split("; "):
                print(f"{out}/runs.csv: the rivals were of {line['commit'] or 'an unknown commit'}, and are now of {commit} too", flush=True)
                line["commit"] = "; ".join(filter(None, [line["commit"], commit]))
        elif of[name] != commit:
            raise SystemExit(f"{out}/runs.csv: found {name} of commit {commit}, expected {of[name]}, of which its results are; "
                             "give the program another name, or another --out")
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, "runs.csv"), "w", newline="") as f:
        w = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        w.writeheader()
        w.writerows(lines)


def named(tool):
    """Returns the name of a tool's line and its commit. The rivals share a line: the last change of this folder's code."""
    if hasattr(tool, "path"):
        return tool.NAME, built(tool.path)
    git = lambda *words: subprocess.run(["git", *words, "--", "*.py"], cwd=os.path.dirname(os.path.abspath(__file__)), capture_output=True, text=True).stdout.strip()
    return "rivals", git("log", "-1", "--abbrev=8", "--format=%h") + " with changes" * bool(git("status", "--porcelain"))


def built(path):
    """Returns the commit that `go build` has written into a program, and whether the tree had changes."""
    said = subprocess.run(["go", "version", "-m", path], capture_output=True, text=True)
    if said.returncode:
        raise SystemExit(f"{path}: found no program of go build: {said.stderr.strip()}")
    of = dict(line.split()[1].split("=", 1) for line in said.stdout.splitlines() if line.split()[0] == "build" and "=" in line)
    if "vcs.revision" not in of:
        raise SystemExit(f"{path}: found no commit in the program, expected one; build it with go build ./cmd/acqnp in a clone (in a worktree, go notes none)")
    return of["vcs.revision"][:8] + " with changes" * (of["vcs.modified"] == "true")


def machine():
    """Returns the processor and its cores."""
    model = platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), model)
    return f"{os.cpu_count()} cores of {model}"
