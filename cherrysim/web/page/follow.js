// Other phones that follow the same game. A history is a row of marks, one for each change: the server
// compares them and hands the longer one on; of two that part, people choose.

import { Asking } from "./ask.js";
import { kept, keep } from "./memory.js";

const PLACE = "cherrysim.followed";
const letters = (n) => {
  const bytes = crypto.getRandomValues(new Uint8Array(n));
  return [...bytes].map((byte) => "abcdefghijklmnopqrstuvwxyz012345"[byte % 32]).join("");
};

export class Followed {
  #asking = new Asking();
  #state = kept(PLACE, { game: "", marks: "" });

  // `text()` is the game here, `adopt(text)` takes that of another phone, `forked(text)` asks which of two.
  constructor(text, adopt, forked) {
    Object.assign(this, { text, adopt, forked });
  }

  get game() {
    return this.#state.game;
  }

  share() {
    if (!this.game) this.#set({ game: letters(16), marks: letters(4) });
    this.#follow();
    return this.game;
  }

  join(game) {
    if (game !== this.game) this.#set({ game, marks: "" });
    this.#follow();
  }

  leave() {
    this.#asking.drop();
    this.#set({ game: "", marks: "" });
  }

  changed() {
    if (!this.game) return;
    this.#set({ ...this.#state, marks: this.#state.marks + letters(4) });
    this.#follow();
  }

  resume() {
    if (this.game) this.#follow();
  }

  #set(state) {
    this.#state = state;
    keep(PLACE, state);
  }

  #follow(replacing = null) {
    const question = { ...this.#state, text: this.text(), ...(replacing === null ? {} : { replacing }) };
    this.#asking.ask("follow", question, (news) => this.#told(news), () => {});
  }

  #told({ kind, marks, text }) {
    if (kind === "newer") {
      this.#set({ ...this.#state, marks });
      this.adopt(text);
      this.#follow();
    } else if (kind === "fork") {
      this.forked(text, () => this.#follow(marks), () => this.#told({ kind: "newer", marks, text }));
    } else if (kind === "same") {
      setTimeout(() => this.resume(), 300);
    } else {
      this.leave(); // refused: the link names no game
    }
  }
}
