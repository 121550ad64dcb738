#!/usr/bin/python3
"""Makes the weights that the program carries: trains configs/prior/acqnp.yaml with one thread,
evaluates the result, and writes weights.safetensors, config.yaml and prior.json to internal/models/prior.

The weights have the same bits on machines with the same kind of kernels (acqnp doctor names them).
"""
import argparse
import json
import os
import shutil
import subprocess


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--acqnp", default="./acqnp", help="the program")
    p.add_argument("--config", default="configs/prior/acqnp.yaml")
    p.add_argument("--run-dir", default="runs/prior", help="of the training; an interrupted one goes on")
    p.add_argument("--out", default="internal/models/prior", metavar="DIR")
    o = p.parse_args()
    common = ["--threads", "1", "--device", "cpu", "--quiet"]
    call(o.acqnp, "train", "--config", o.config, "--run-dir", o.run_dir, "--resume", "--no-eval", *common)
    scores = os.path.join(o.run_dir, "eval.json")
    call(o.acqnp, "eval", "--run", o.run_dir, "--level-spacing", "grid", "--out", scores, "--overwrite", *common)
    call(o.acqnp, "export", "--run", o.run_dir, "--out", os.path.join(o.out, "weights.safetensors"), "--overwrite")
    os.remove(os.path.join(o.out, "weights.py"))  # the program for PyTorch that export writes beside the weights
    shutil.copy(o.config, os.path.join(o.out, "config.yaml"))
    with open(scores) as f:
        scores = json.load(f)
    with open(os.path.join(o.run_dir, "metrics.jsonl")) as f:
        last = json.loads(f.readlines()[-1])
    about = {
        "made_by": "make prior",
        "train_seed": seed(os.path.join(o.run_dir, "config.yaml")),
        "steps": last["step"],
        "train_seconds": round(last["elapsed_s"]),
        "eval_seed": scores["seed"],
        "eval_batches": scores["batches"],
        "context_ll": scores["context_ll"],
        "target_ll": scores["target_ll"],
        "target_ll_by_context": by_context(scores["per_batch"]),
        "device": scores["device"],
        "version": scores["version"],
    }
    with open(os.path.join(o.out, "prior.json"), "w") as f:
        json.dump(about, f, indent=2)
        f.write("\n")


def seed(config):
    """Returns train.seed of a run's complete configuration."""
    section = ""
    with open(config) as f:
        for line in f:
            if not line.startswith(" "):
                section = line.strip()
            elif section == "train:" and line.strip().startswith("seed:"):
                return int(line.split(":")[1])
    raise SystemExit(f"{config}: no train.seed")


def by_context(batches):
    """Returns the mean target log-likelihood for ranges of the number of context points."""
    result = {}
    for low, high in [(0, 0), (1, 3), (4, 10), (11, 25), (26, 50)]:
        chosen = [b["target_ll"] for b in batches if low <= b["num_context"] <= high]
        if chosen:
            result[f"{low}..{high}"] = round(sum(chosen) / len(chosen), 4)
    return result


def call(*command):
    print(" ".join(command), flush=True)
    subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
