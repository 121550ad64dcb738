"""What the tools see that know no groups: one row for each target point.

Where points are unseen, the features are x and the group. Where groups are unseen, they are x and
what the context tells: its size, its mean of x and y, its slope for each column, and the mean and
the deviation that the mixed model predicts, which combine the group's random effects.
"""
import numpy as np

import mixed
from protocol import Task, choose

ROWS = 2000  # training rows, about


def form(problem):
    """Returns the form of the mixed model that the whole training part chose."""
    root = problem.root or problem
    return root.once("form", lambda: choose(root, mixed)[0])


def model(problem):
    return problem.once("mixed", lambda: mixed.Mixed(form(problem), problem.groups))


def rows(problem):
    """Returns features [n, p] and y [n] of training rows. Where groups are unseen, each training group
    is predicted from random contexts of the sizes that test groups have."""
    return problem.once("rows", lambda: made(problem))


def made(problem):
    if problem.by_point:
        ts = [Task(f, x[:0], y[:0], x, y) for f, (x, y) in problem.groups.items()]
    else:
        r, ts = np.random.default_rng(problem.seed), []
        total = sum(len(y) for _, y in problem.groups.values())
        for x, y in problem.groups.values():
            for _ in range(int(np.clip(ROWS / total, 2, 12))):
                at, m = r.permutation(len(y)), min(problem.sizes[len(ts) % len(problem.sizes)], len(y) - 1)
                ts.append(Task("", x[at[:m]], y[at[:m]], x[at[m:]], y[at[m:]]))
    x, y = of(problem, ts), np.concatenate([t.ty for t in ts])
    keep = np.random.default_rng(0).permutation(len(y))[:2 * ROWS]
    return x[keep], y[keep]


def of(problem, ts):
    """Returns the features of all targets of the tasks [n, p]."""
    if problem.by_point:
        names = list(problem.groups)
        return np.concatenate([np.column_stack([t.tx] + [np.full(len(t.tx), float(t.group == n)) for n in names[1:]]) for t in ts])
    x, y, _ = problem.rows()
    center = (x.mean(0), y.mean(), x.var(0).mean() + 1e-9)
    return np.concatenate([np.column_stack([t.tx, told(t, model(problem), center)]) for t in ts])


def told(task, fitted, center):
    """Returns what the context tells about each target [targets, ·]. Slopes are shrunk."""
    mx, my, slope = center[0], center[1], np.zeros(task.tx.shape[1])
    if len(task.cy):
        mx, my = task.cx.mean(0), task.cy.mean()
        dx, dy = task.cx - mx, task.cy - my
        slope = (dx * dy[:, None]).sum(0) / ((dx**2).sum(0) + center[2])
    mean, sd = fitted.predict(task)
    same = np.concatenate([[len(task.cy), my], mx, slope])
    return np.column_stack([np.exp(mean) if fitted.form.logy else mean, sd, np.tile(same, (len(mean), 1))])
