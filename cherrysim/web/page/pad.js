// The pad (hand, flowers, what can be done) and the counters of the bag and the front.

import { settings } from "./memory.js";
import { $, element, flower } from "./parts.js";
import { say } from "./say.js";
import { LETTERS, drawsUsed, ended, held, left, mayAdd, out, size, total } from "./turn.js";

const name = (i) => say(`flower.${LETTERS[i]}`);
const counterShown = () => settings.counter === "shown";

export function showPad(turn, game, limits, memory) {
  const inBag = left(turn, game);
  [...$("flowers").children].forEach((button, i) => {
    button.disabled = !mayAdd(turn, i, game, limits);
    button.querySelector(".count").textContent = counterShown() ? inBag[i] : "";
    const label = counterShown() ? "add.counted" : "add";
    button.setAttribute("aria-label", say(label, { flower: name(i), n: inBag[i] }));
  });
  showHand(turn);
  showDrawsUsed(turn, limits);
  $("undo").disabled = !memory.canUndo;
  $("redo").disabled = !memory.canRedo;
  $("take-off").disabled = $("new-turn").disabled = !turn.hand;
  $("end-draw").disabled = ended(turn) || drawsUsed(turn) >= limits.draws;
}

function showHand(turn) {
  const tokens = [...turn.hand].map((letter) =>
    letter === "."
      ? element("li", { class: "gap", "aria-hidden": "true" })
      : element("li", {}, flower(letter, say(`flower.${letter}`))));
  const none = element("li", { class: "note" }, say("hand.none"));
  $("hand").replaceChildren(...(tokens.length ? tokens : [none]));
  $("hand").classList.toggle("many", tokens.length > 8);
}

function showDrawsUsed(turn, limits) {
  const most = Math.min(limits.draws, size(turn));
  const possible = turn.hand ? Array.from({ length: most }, (_, i) => i + 1) : [0];
  $("used").replaceChildren(...possible.map((n) =>
    element("option", { value: n }, say("used.of", { n, of: limits.draws }))));
  $("used").value = drawsUsed(turn);
}

export function showCounts(turn, game) {
  const inside = settings.side === "in";
  const inBag = left(turn, game);
  const most = game.bag.map((n, i) => n - held(turn)[i]);
  $("bag-size").textContent = counterShown() ? say("bag.size", { n: total(inBag) - game.hidden }) : "";
  const note = game.hidden ? "bag.hidden" : inside ? "bag.in.note" : "bag.out.note";
  $("bag-note").textContent = say(note, { n: game.hidden });
  showCounters($("bag-counters"), inside ? inBag : out(turn), most);
  $("front").hidden = turn.value !== "front";
  $("front-size").textContent = say("bag.size", { n: total(turn.front) });
  showCounters($("front-counters"), turn.front, most);
}

function showCounters(place, counts, most) {
  [...place.children].forEach((counter, i) => {
    const [less, more] = counter.querySelectorAll("button");
    const field = counter.querySelector("input");
    if (document.activeElement !== field) field.value = counts[i]; // not while somebody writes there
    field.setAttribute("aria-label", name(i));
    less.setAttribute("aria-label", say("less", { flower: name(i) }));
    more.setAttribute("aria-label", say("more", { flower: name(i) }));
    less.disabled = counts[i] <= 0;
    more.disabled = counts[i] >= most[i];
  });
}

// Six counters, each told to `count(i, n)` when it is changed.
export function buildCounters(place, count) {
  place.replaceChildren(...[...LETTERS].map((letter, i) => {
    const less = element("button", { type: "button", class: "icon" }, "−");
    const more = element("button", { type: "button", class: "icon" }, "+");
    const digits = { type: "text", inputmode: "numeric", maxlength: "2", autocomplete: "off" };
    const field = element("input", digits);
    const set = (n) => {
      field.blur(); // so that it shows what became of it
      count(i, n);
    };
    less.addEventListener("click", () => set(Number(field.value) - 1));
    more.addEventListener("click", () => set(Number(field.value) + 1));
    field.addEventListener("focus", () => field.select());
    field.addEventListener("change", () => set(/^[0-9]+$/.test(field.value) ? Number(field.value) : NaN));
    return element("div", { class: "counter", role: "group" }, flower(letter), less, field, more);
  }));
}
