// A new game: players, names, sides of cards; or a record from a file.

import { $, element } from "./parts.js";
import { say } from "./say.js";

export function buildBegin(limits, begin) {
  const names = [...document.querySelectorAll("#names input")].map((field) => field.value);
  $("names").replaceChildren(...[1, 2, 3, 4].map((n) => {
    const called = say("new.name", { n });
    const attributes = { type: "text", maxlength: "60", autocomplete: "off", placeholder: called };
    const field = element("input", { ...attributes, "aria-label": called });
    field.value = names[n - 1] ?? "";
    return field;
  }));
  $("cards").replaceChildren(...limits.cards.map((sides, i) => {
    const legend = element("legend", { class: "unseen" }, say("new.card", { n: i + 1 }));
    const choices = [...sides.map((side) => [side.name, say(`side.${side.side}`, { title: side.title })]),
      ["", say("new.no_card")]];
    return element("fieldset", { class: "segments card" }, legend, ...choices.map(([value, words], k) => {
      const radio = element("input", { type: "radio", name: `card-${i}`, value });
      radio.checked = k === 0;
      return element("label", {}, radio, element("span", {}, words));
    }));
  }));
  $("begin").onchange = ({ target }) => target.name === "players" && showBegin();
  $("begin").onsubmit = (event) => {
    event.preventDefault();
    begin({ names: named(), cards: cards() });
  };
  $("upload").onchange = async () => {
    const [file] = $("upload").files;
    $("upload").value = "";
    if (file) begin({ record: await file.text() });
  };
}

const players = () => Number(document.querySelector("#players :checked").value);

export function showBegin() {
  [...$("names").children].forEach((field, i) => { field.hidden = i >= players(); });
}

const named = () => [...$("names").children].slice(0, players())
  .map((field) => field.value.trim() || field.placeholder);

const cards = () => {
  const sides = [...document.querySelectorAll("#cards :checked")].map((radio) => radio.value);
  return sides.filter(Boolean).join(",") || "none";
};
