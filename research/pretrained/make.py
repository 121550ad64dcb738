#!/usr/bin/python3
"""Makes the weights that the program carries: trains internal/fit/pretrained/config.yaml by the program of this
folder (cd research && go build -o ../acqnp-groups ./pretrained), evaluates the run's
checkpoints, and writes weights.safetensors, config.yaml and card.json to internal/fit/pretrained.

A run that was interrupted goes on. The weights have the same bits on machines with the same kind of
kernels (acqnp doctor names them), with any number of threads.
"""
import argparse
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--acqnp", default="./acqnp-groups", help="the program")
    p.add_argument("--config", default="internal/fit/pretrained/config.yaml")
    p.add_argument("--run-dir", default="runs/pretrained", help="of the training")
    p.add_argument("--from", dest="start", metavar="FILE", help="weights that a new training starts from")
    p.add_argument("--batches", type=int, default=250, help="evaluation batches of each checkpoint")
    p.add_argument("--checkpoints", metavar="DIR", help="others to evaluate, STEP.safetensors each")
    p.add_argument("--evaluate-only", action="store_true", help="train nothing")
    p.add_argument("--note", default="", help="a sentence for the card")
    p.add_argument("--out", default="internal/fit/pretrained", metavar="DIR")
    o = p.parse_args()
    if not o.evaluate_only:
        start = ["--weights", o.start] if o.start and not os.path.exists(o.run_dir) else []
        call(o.acqnp, "train", "--config", o.config, "--run-dir", o.run_dir, "--resume", "--no-eval", "--quiet", *start)
    weights = os.path.join(o.out, "weights.safetensors")
    call(o.acqnp, "export", "--run", o.run_dir, "--out", weights, "--overwrite")
    if not os.path.samefile(o.config, os.path.join(o.out, "config.yaml")):
        shutil.copy(o.config, os.path.join(o.out, "config.yaml"))
    with open(os.path.join(o.run_dir, "metrics.jsonl")) as f:
        last = json.loads(f.readlines()[-1])
    card = {
        "made_by": "python3 research/pretrained/make.py",
        "note": o.note,
        "version": output(o.acqnp, "--version"),
        "parameters": parameters(weights),
        "sha256": digest(weights),
        "steps": last["step"],
        "train_seconds": round(last["elapsed_s"]),
        "curve": curve(o, last["step"]),
    }
    with open(os.path.join(o.out, "card.json"), "w") as f:
        json.dump(card, f, indent=2)
        f.write("\n")


def curve(o, last):
    """Returns step, log density of a target on new data sets and its standard error, of each checkpoint."""
    files = glob.glob(os.path.join(o.checkpoints, "*.safetensors")) if o.checkpoints else []
    steps = {int(re.search(r"(\d+)\.safetensors$", f).group(1)): f for f in files}
    kept = os.path.join(o.run_dir, "checkpoints")
    rows = []
    for step in sorted({*steps, last}):
        place = os.path.join(kept, f"step-{step}.safetensors")
        if not os.path.exists(place):
            shutil.copy(steps[step], place)
        out = os.path.join(o.run_dir, "curve.json")
        call(o.acqnp, "eval", "--run", o.run_dir, "--checkpoint", str(step), "--batches", str(o.batches), "--out", out, "--overwrite", "--quiet")
        with open(out) as f:
            score = json.load(f)["target_ll"]
        rows.append([step, round(score["mean"], 4), round(score["std_error"], 4)])
        print(rows[-1], flush=True)
    return rows


def parameters(weights):
    """Returns the number of weights in a safetensors file."""
    with open(weights, "rb") as f:
        header = json.loads(f.read(int.from_bytes(f.read(8), "little")))
    return sum(product(t["shape"]) for name, t in header.items() if name != "__metadata__")


def product(numbers):
    result = 1
    for n in numbers:
        result *= n
    return result


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def call(*command):
    print(" ".join(command), flush=True)
    subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
