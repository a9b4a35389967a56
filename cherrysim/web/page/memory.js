// What the browser keeps: every turn since the beginning, for undo and redo, and how the page was set.
// Where a browser keeps nothing, the link still holds the turn. A state is stored as the number of characters
// that it has in common with the one before, and the others, so that a whole game of taps takes little room.

const SETTINGS = "cherrysim.settings";

export function kept(name, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(name)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

const isState = (state) => typeof state === "string" || (Array.isArray(state) && state.length === 2);

function packed(links) {
  return links.map((link, i) => {
    const last = links[i - 1] ?? "";
    let same = 0;
    while (same < link.length && link[same] === last[same]) same += 1;
    return [same, link.slice(same)];
  });
}

function unpacked(states) {
  const links = [];
  for (const state of states) {
    const [same, rest] = typeof state === "string" ? [0, state] : state;
    links.push((links.at(-1) ?? "").slice(0, Number(same)) + String(rest));
  }
  return links;
}

export class Memory {
  constructor(place) {
    this.place = place;
    const { links = [], at = -1 } = kept(place, {});
    const texts = Array.isArray(links) && links.every(isState);
    const sound = texts && at < links.length;
    this.links = sound ? unpacked(links) : [];
    this.at = sound ? at : -1;
  }

  get now() {
    return this.links[this.at] ?? "";
  }

  get canUndo() {
    return this.at > 0;
  }

  get canRedo() {
    return this.at < this.links.length - 1;
  }

  keep(link) {
    this.links = [...this.links.slice(0, this.at + 1), link];
    this.at = this.links.length - 1;
    this.#save();
  }

  undo() {
    this.at -= 1;
    this.#save();
  }

  redo() {
    this.at += 1;
    this.#save();
  }

  // A full store forgets the older half: some hundred games ago.
  #save() {
    while (!keep(this.place, { links: packed(this.links), at: this.at }) && this.links.length > 1) {
      const gone = Math.ceil(this.links.length / 2);
      this.links = this.links.slice(gone);
      this.at = Math.max(0, this.at - gone);
    }
  }
}

// What can be set, the default first. `show` is of quick mode, `mode` of a game, which also has an end.
const CHOICES = {
  language: navigator.language.startsWith("fr") ? ["fr", "en"] : ["en", "fr"],
  mode: ["advice", "odds", "after"],
  show: ["advice", "odds"],
  counter: ["shown", "hidden"],
  aim: ["win", "score"],
  side: ["out", "in"],
};

const stored = Object(kept(SETTINGS, {}));
export const settings = Object.fromEntries(Object.entries(CHOICES).map(([name, values]) =>
  [name, values.includes(stored[name]) ? stored[name] : values[0]]));

export function set(name, value) {
  settings[name] = value;
  keep(SETTINGS, settings);
}
