// What the browser keeps: every turn since the beginning, for undo and redo, and how the page was set.
// Where a browser keeps nothing, the link still holds the turn.

const PLACE = "cherrysim.quick";
const SETTINGS = "cherrysim.settings";

function stored(name, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(name)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function store(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

export class Memory {
  constructor() {
    const { links = [], at = -1 } = stored(PLACE, {});
    const texts = Array.isArray(links) && links.every((link) => typeof link === "string");
    const sound = texts && at < links.length;
    this.links = sound ? links : [];
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
    while (!store(PLACE, { links: this.links, at: this.at }) && this.links.length > 1) {
      const gone = Math.ceil(this.links.length / 2);
      this.links = this.links.slice(gone);
      this.at = Math.max(0, this.at - gone);
    }
  }
}

export const settings = {
  language: navigator.language.startsWith("fr") ? "fr" : "en",
  mode: "advice",
  counter: "shown",
  side: "out",
  ...stored(SETTINGS, {}),
};

export function set(name, value) {
  settings[name] = value;
  store(SETTINGS, settings);
}
