"""What the rivals that know no functions see: one row for each target point.

Where points are held out, the features are x and the function. Where functions are held out, they
are x and what the context tells: its mean of x and y, its slope for each column, and the mixed
model's prediction, which combines the function's random effects.
"""
import numpy as np

from data import Task

ROWS = 4000  # training rows, about


def rows(problem, functions, mixed, seed=0):
    """Returns features [n, p] and y [n] of training rows. Where functions are held out, each training
    function is predicted from random contexts of the size that held-out functions have."""
    if not problem.set.context:
        tasks = [Task(f, x[:0], y[:0], x, y) for f, (x, y) in functions.items()]
    else:
        r, tasks, m = np.random.default_rng(seed), [], problem.set.context
        total = sum(len(y) for _, y in functions.values())
        for x, y in functions.values():
            for _ in range(int(np.clip(ROWS / total, 1, 10))):
                at = r.permutation(len(y))
                c, t = at[:m], at[m:]
                tasks.append(Task("", x[c], y[c], x[t], y[t]))
    return of(problem, tasks, mixed), np.concatenate([t.ty for t in tasks])


def of(problem, tasks, mixed):
    """Returns the features of all targets of the tasks [n, p]."""
    if not problem.set.context:
        names = list(problem.all)
        one = lambda t: [float(t.function == n) for n in names[1:]]
        return np.concatenate([np.column_stack([t.tx] + [np.full(len(t.tx), v) for v in one(t)]) for t in tasks])
    return np.concatenate([np.column_stack([t.tx, told(t, mixed)]) for t in tasks])


def told(task, mixed):
    """Returns what the context tells about each target [targets, ·]. Slopes are shrunk by a prior of
    one point at the mixed model's scale of x."""
    dx, dy = task.cx - task.cx.mean(0), task.cy - task.cy.mean()
    slope = (dx * dy[:, None]).sum(0) / ((dx**2).sum(0) + task.cx.var(0).mean() + 1e-9)
    mean, _ = mixed.predict(task)
    same = np.concatenate([task.cx.mean(0), [task.cy.mean()], slope])
    return np.column_stack([np.exp(mean) if mixed.form.logy else mean, np.tile(same, (len(mean), 1))])
