// Requests to the server.

let token = sessionStorage.getItem("token") ?? "";

// setToken keeps the token for this tab.
export function setToken(t) {
  token = t;
  sessionStorage.setItem("token", t);
}

// A Refused is an answer other than 200, with its status and the server's line.
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function call(path, options = {}) {
  const headers = { ...(options.body ? { "Content-Type": "application/json" } : {}), ...(token ? { Authorization: "Bearer " + token } : {}) };
  let answer;
  try {
    answer = await fetch(path, { ...options, headers, cache: "no-store" });
  } catch (err) {
    if (err.name === "AbortError") throw err;
    throw new Refused(0, "The server does not answer. Is acqnp serve running?");
  }
  const body = await answer.json().catch((err) => {
    if (err.name === "AbortError") throw err;
    return {};
  });
  if (!answer.ok) throw new Refused(answer.status, body.error ?? `The server answered ${answer.status}.`);
  return body;
}

// runs without x, as y ~ 1 is: the page draws them over an axis of no name, and asks with empty rows.
const withoutX = new Set();

// model returns the runs of the server.
export async function model() {
  const { runs } = await call("/v1/model");
  for (const run of runs) {
    if (run.columns.x.length > 0) continue;
    withoutX.add(run.name);
    run.columns.x.push({ name: "" });
  }
  return runs;
}

// predict returns the first group's answer and the warnings: {targets, draws, warnings}.
export async function predict(request, signal) {
  const empty = (points) => ({ ...points, x: points.x.map(() => []) });
  const ofX = ({ context, targets }) => ({ context: empty(context), targets: empty(targets) });
  const asked = withoutX.has(request.run) ? { ...request, groups: request.groups.map(ofX) } : request;
  const answer = await call("/v1/predict", { method: "POST", body: JSON.stringify(asked), signal });
  const [first] = answer.groups;
  first.targets.forEach((t, i) => (t.x = request.groups[0].targets.x[i]));
  return { ...first, warnings: answer.warnings };
}

// newestWins returns a function that hands jobs to work, one at a time. A job that comes while another
// is under way waits; a newer one takes its place.
export function newestWins(work) {
  let busy = false;
  let waiting = null;
  return async function ask(job) {
    waiting = job;
    if (busy) return;
    busy = true;
    try {
      while (waiting !== null) {
        const next = waiting;
        waiting = null;
        await work(next, () => waiting !== null);
      }
    } finally {
      busy = false;
    }
  };
}
