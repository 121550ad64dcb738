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

// model returns the runs of the server.
export const model = async () => (await call("/v1/model")).runs;

// predict returns the first function's answer and the warnings: {targets, draws, warnings}.
export async function predict(request, signal) {
  const answer = await call("/v1/predict", { method: "POST", body: JSON.stringify(request), signal });
  return { ...answer.functions[0], warnings: answer.warnings };
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
