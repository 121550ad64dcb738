"""The best that any model can do on tnp-sawtooth: the exact posterior on a grid of frequency, phase,
direction and noise, for each number of context points. Prints the mean log density of a target, alone and
of 16 together, with its standard error over functions. Needs NumPy.

    python3 tools/transformers/bayes.py --functions 40 --seed 0
"""
import argparse

import numpy as np

TARGETS = 16


def middles(low, high, number):
    """The middles of equal parts of an interval."""
    return low + (high - low) * (np.arange(number) + 0.5) / number


FREQUENCIES, PHASES, NOISES = middles(3, 5, 600), middles(0, 1, 160), middles(0.05, 0.1, 5)


def function(random, context):
    """The points of one function, in the order context, targets."""
    n = context + TARGETS
    corput = np.array([int(f"{i:032b}"[::-1], 2) for i in range(n)]) / 2**32
    x = (corput[random.permutation(n)] + random.uniform()) % 1 * 4 - 2
    frequency, phase = random.uniform(3, 5), random.uniform(0, 1)
    y = frequency * (random.choice([-1, 1]) * x - phase) % 1
    return x, y + random.uniform(0.05, 0.1) * random.standard_normal(n)


def densities(x, y):
    """Log densities of all points under every cell of the grid, [cells, n]. ωφ modulo 1 is taken as
    uniform, which it nearly is: it covers the interval 3 to 5 times."""
    y, phases = y.astype(np.float32), PHASES.astype(np.float32)[None, :, None]
    for direction in (-1, 1):
        turns = (direction * np.outer(FREQUENCIES, x) % 1).astype(np.float32)[:, None, :] - phases
        squares = ((y - turns % 1) ** 2).reshape(-1, len(x))
        for s in NOISES:
            yield -squares / np.float32(2 * s * s) - np.float32(np.log(s) + np.log(2 * np.pi) / 2)


def best(random, context):
    """The log density of a target given the context, and that of all targets together over their number."""
    known, targets = [], []
    for log in densities(*function(random, context)):
        known.append(log[:, :context].sum(1, dtype=float))
        likely = known[-1] > known[-1].max() - 40  # the others have no weight
        known[-1], log = known[-1][likely], log[likely, context:].astype(float)
        targets.append(log)
    known, targets = np.concatenate(known), np.concatenate(targets)
    weight = np.exp(known - known.max())
    weight /= weight.sum()
    together = targets.sum(1)
    alone = np.log(weight @ np.exp(targets)).mean()
    return alone, (np.log(weight @ np.exp(together - together.max())) + together.max()) / TARGETS


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--functions", type=int, default=40)
    options.add_argument("--seed", type=int, default=0)
    options = options.parse_args()
    random = np.random.default_rng(options.seed)
    print("context,alone,alone ±,together,together ±")
    for context in (8, 16, 32, 64, 128):
        found = np.array([best(random, context) for _ in range(options.functions)])
        mean, error = found.mean(0), found.std(0, ddof=1) / len(found) ** 0.5
        print(f"{context},{mean[0]:.3f},{error[0]:.3f},{mean[1]:.3f},{error[1]:.3f}", flush=True)


if __name__ == "__main__":
    main()
