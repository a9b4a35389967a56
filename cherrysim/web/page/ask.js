// Questions to the server. Only the last one counts: an older one that is still under way is dropped. A
// server that is away is asked again until it is back; meanwhile the page keeps everything.

import { refusal } from "./say.js";

const LONGEST_WAIT = 4000; // milliseconds

export class Asking {
  #last = new AbortController();

  drop() {
    this.#last.abort();
  }

  // Asks, and tells `answered(answer)`, or `trouble(key)` for as long as there is none.
  async ask(address, question, answered, trouble) {
    this.#last.abort();
    this.#last = new AbortController();
    const { signal } = this.#last;
    for (let wait = 500; !signal.aborted; wait = Math.min(2 * wait, LONGEST_WAIT)) {
      try {
        const answer = await post(address, question, signal);
        if (signal.aborted) return;
        trouble(null);
        answered(answer);
        return;
      } catch (error) {
        if (signal.aborted) return;
        trouble(troubleOf(error));
        await new Promise((resume) => setTimeout(resume, wait));
      }
    }
  }
}

// A document for a document. A refused question has an answer, too: { refused }.
export async function post(address, question, signal) {
  const response = await fetch(address, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(question),
    signal,
  });
  const { ok, status } = response;
  if (!ok && status !== 422) throw Object.assign(new Error(address), { status });
  const answer = await response.json();
  return answer.refused ? { ...answer, refused: refusal(answer.refused) } : answer;
}

// Why there was no answer, as the key of a string.
const TROUBLES = { 403: "trouble.link", 413: "trouble.long", 500: "trouble.failed", 503: "trouble.busy" };
export const troubleOf = ({ status }) => TROUBLES[status] ?? "trouble.away";

export async function setup() {
  for (;;) {
    try {
      return await (await fetch("setup")).json();
    } catch {
      await new Promise((resume) => setTimeout(resume, 1000));
    }
  }
}
