// Pieces every view is made of. Whatever is shown is set as text, never as markup.

import { say } from "./say.js";

export const $ = (id) => document.getElementById(id);

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// The flowers' shapes, drawn once for every page.
export async function shapes() {
  const text = await (await fetch("flowers.svg")).text();
  document.body.prepend(new DOMParser().parseFromString(text, "image/svg+xml").documentElement);
}

// A flower's picture; beside its name or a number it needs no name of its own.
export function flower(letter, name = "") {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  svg.setAttribute("class", `flower flower-${letter}`);
  use.setAttribute("href", `#flower-${letter}`);
  svg.append(use);
  if (name) {
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", name);
  } else {
    svg.setAttribute("aria-hidden", "true");
  }
  return svg;
}

// A chance as a length; its number stands beside it.
export function bar(chance) {
  const made = element("span", { class: "bar", "aria-hidden": "true" }, element("span"));
  made.firstChild.style.setProperty("--chance", chance);
  return made;
}

// A row of a table: what it is about, then its cells.
export function row(name, cells, kind = "") {
  return element("tr", { class: kind }, element("th", { scope: "row" }, name),
    ...cells.map((cell) => element("td", {}, cell)));
}

// Read out when it changes, so nothing is written that stands there already.
export function write(id, text) {
  if ($(id).textContent !== text) $(id).textContent = text;
  $(id).hidden = !text;
}

// The texts that stay while a language is spoken.
export function labels() {
  for (const part of document.querySelectorAll("[data-say]")) part.textContent = say(part.dataset.say);
  for (const part of document.querySelectorAll("[data-name]")) {
    part.setAttribute("aria-label", say(part.dataset.name));
    if (part.matches("button")) part.title = say(part.dataset.name);
  }
  for (const part of document.querySelectorAll("[data-alt]")) part.alt = say(part.dataset.alt);
}
