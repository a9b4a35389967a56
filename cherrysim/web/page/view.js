// What is shown: the page's elements filled from a turn and the server's answer, always as text.

import { settings } from "./memory.js";
import { capital, decimal, listed, oneIn, percent, risk, say, small } from "./say.js";
import { LETTERS, drawsUsed, ended, held, left, mayAdd, out, size, total } from "./turn.js";

export const $ = (id) => document.getElementById(id);

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

// A flower's picture; beside its name or a number it needs none of its own.
export function flower(letter, name = "") {
  const svg = document.createElementNS(SVG, "svg");
  const use = document.createElementNS(SVG, "use");
  svg.setAttribute("class", `flower flower-${letter}`);
  if (name) {
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", name);
  } else {
    svg.setAttribute("aria-hidden", "true");
  }
  use.setAttribute("href", `#flower-${letter}`);
  svg.append(use);
  return svg;
}

// The texts that never change while a language is spoken.
export function labels() {
  for (const part of document.querySelectorAll("[data-say]")) part.textContent = say(part.dataset.say);
  for (const part of document.querySelectorAll("[data-name]")) {
    part.setAttribute("aria-label", say(part.dataset.name));
    if (part.matches("button")) part.title = say(part.dataset.name);
  }
  for (const part of document.querySelectorAll("[data-alt]")) part.alt = say(part.dataset.alt);
}

// The pad: hand, flowers, what can be done

export function showPad(turn, game, limits, memory) {
  const inBag = left(turn, game);
  [...$("flowers").children].forEach((button, i) => {
    const name = say(`flower.${LETTERS[i]}`);
    button.disabled = !mayAdd(turn, i, game, limits);
    const shown = settings.counter === "shown";
    button.querySelector(".count").textContent = shown ? inBag[i] : "";
    button.setAttribute("aria-label", say(shown ? "add.counted" : "add", { flower: name, n: inBag[i] }));
  });
  const tokens = [...turn.hand].map((letter) =>
    letter === "." ? element("li", { class: "gap", "aria-hidden": "true" })
      : element("li", {}, flower(letter, say(`flower.${letter}`))));
  $("hand").replaceChildren(...(tokens.length ? tokens : [element("li", { class: "note" }, say("hand.none"))]));
  $("hand").classList.toggle("many", tokens.length > 8);
  const most = Math.min(limits.draws, Math.max(size(turn), 0));
  const choices = turn.hand ? Array.from({ length: most }, (_, i) => i + 1) : [0];
  $("used").replaceChildren(...choices.map((n) =>
    element("option", { value: n }, say("used.of", { n, of: limits.draws }))));
  $("used").value = drawsUsed(turn);
  $("undo").disabled = !memory.canUndo;
  $("redo").disabled = !memory.canRedo;
  $("take-off").disabled = $("new-turn").disabled = !turn.hand;
  $("end-draw").disabled = ended(turn) || drawsUsed(turn) >= limits.draws;
}

export function showCounts(turn, game) {
  const gone = out(turn);
  const inBag = left(turn, game);
  const inside = settings.side === "in";
  const shown = settings.counter === "shown";
  $("bag-size").textContent = shown ? say("bag.size", { n: total(inBag) - game.hidden }) : "";
  $("bag-note").textContent = game.hidden
    ? say("bag.hidden", { n: game.hidden })
    : say(inside ? "bag.in.note" : "bag.out.note");
  showCounters($("bag-counters"), inside ? inBag : gone, game.bag.map((n, i) => n - held(turn)[i]));
  $("front").hidden = turn.value !== "front";
  $("front-size").textContent = say("bag.size", { n: total(turn.front) });
  showCounters($("front-counters"), turn.front, game.bag.map((n, i) => n - held(turn)[i]));
}

function showCounters(place, counts, most) {
  [...place.children].forEach((counter, i) => {
    const name = say(`flower.${LETTERS[i]}`);
    const [less, more] = counter.querySelectorAll("button");
    const field = counter.querySelector("input");
    if (document.activeElement !== field) field.value = counts[i];
    field.setAttribute("aria-label", name);
    less.setAttribute("aria-label", say("less", { flower: name }));
    more.setAttribute("aria-label", say("more", { flower: name }));
    less.disabled = counts[i] <= 0;
    more.disabled = counts[i] >= most[i];
  });
}

// The answer

const number = (n, turn) => say(turn.hand ? "do.draw_more" : "do.draw", { n });
const choice = (n, turn) => (n ? number(n, turn) : say("do.stop"));

// Several choices, those to draw said once: "stop, or draw 1 or 2 more"
function choices(draws, turn) {
  const numbers = listed(draws.filter(Boolean).map(String), "disjunction");
  const drawing = number(numbers, turn);
  if (!draws.includes(0)) return drawing;
  return numbers ? say("do.stop_or", { other: drawing }) : say("do.stop");
}

// The verdict is read out when it changes, so nothing is written that stands there already.
function write(id, text) {
  if ($(id).textContent !== text) $(id).textContent = text;
  $(id).hidden = !text;
}

export function showAnswer(turn, answer, game, keep) {
  const turning = answer.kind === "turn";
  const odds = settings.mode === "odds";
  document.body.dataset.kind = turning && !odds && !answer.best ? "stop" : answer.kind;
  document.body.classList.toggle("odds", odds);
  const [what, risky, worth, near] = turning ? (odds ? oddsWords(answer) : adviceWords(turn, answer)) : otherWords(answer);
  write("what", what);
  write("risk", risky);
  write("worth", worth);
  write("near", near);
  showKeep(answer, keep);
  const draws = turning ? answer.options.filter((option) => option.draw) : [];
  $("options").hidden = !turning || odds || !draws.length;
  if (turning) showOptions(turn, answer);
  $("chances").hidden = !draws.length;
  showChances(draws);
  $("why").hidden = !turning || odds || !answer.why;
  if (turning && answer.why) showWhy(turn, answer);
  $("hidden-note").textContent = turning && game.hidden
    ? say(answer.bags > 1 ? "hidden.bags" : "hidden", { n: game.hidden, bags: answer.bags, of: answer.bag_size + game.hidden })
    : "";
}

function otherWords(answer) {
  if (answer.refused) return [say("refused"), answer.refused, "", ""];
  if (answer.kind === "over") return [say("over"), say("over.what"), "", ""];
  if (answer.kind === "empty") return [say("empty"), say("empty.what"), "", ""];
  const why = listed(answer.conditions.map((name) => say(`failed.${name}`)), "conjunction");
  return [say("failed"), capital(why), say(answer.keep.length ? "failed.keep" : "failed.nothing"), ""];
}

// Odds only: how one more flower goes.
function oddsWords(answer) {
  const first = answer.options.find((option) => option.draw);
  if (!first) return [say("no_draw"), say(`no_draw.${answer.no_draw}`), "", ""];
  const { fail } = first;
  return [fail.in ? oneIn(fail) : say(fail.chance ? "always" : "never"),
    fail.in ? say("odds.more", { percent: percent(fail) }) : say("odds.one"), "", ""];
}

function adviceWords(turn, answer) {
  const best = answer.options.find((option) => option.standing === "best");
  const equal = answer.options.filter((option) => ["best", "equal"].includes(option.standing));
  const close = answer.options.filter((option) => option.standing === "near");
  const what = equal.length > 1 ? choices(equal.map((option) => option.draw), turn) : choice(best.draw, turn);
  const unit = say(`unit.${answer.value}`);
  let near = equal.length > 1 ? say("equal") : "";
  if (close.length) near = say("near", { choices: choices(close.map((option) => option.draw), turn).toLowerCase() });
  if (!best.draw) {
    const next = answer.why;
    if (!next) return [what, say(`no_draw.${answer.no_draw}`), say("worth.sure", { worth: decimal(best.worth), unit }), ""];
    const gap = answer.options.find((option) => option.draw === next.draw).gives_up;
    return [what, say("stop.risk", { n: next.draw, risk: risk(next.fail) }),
      equal.length > 1 ? "" : say("stop.gives_up", { n: next.draw, gap: small(gap), unit }), near];
  }
  const { advantage } = answer;
  const worth = say(advantage ? "worth.more" : "worth", {
    worth: decimal(best.worth), unit, more: advantage >= 0.1 ? decimal(advantage) : small(advantage ?? 0) });
  return [what, best.fail.in ? say("draw.risk", { risk: risk(best.fail) }) : say(best.fail.chance ? "always.long" : "never.long"),
    worth, near];
}

function showKeep(answer, keep) {
  const choosing = answer.kind === "failed" || answer.kind === "over";
  $("keep").hidden = !choosing;
  if (choosing) $("end-draw").disabled = true;
  const kept = answer.keep?.length ? answer.keep : [""];
  $("keep").replaceChildren(...(choosing ? kept : []).map((letters) => {
    const names = listed([...letters].map((letter) => say(`flower.${letter}`)), "conjunction");
    const button = element("button", { type: "button", "aria-label": letters ? say("keep", { flowers: names }) : say("keep.none") },
      ...(letters ? [...letters].map((letter) => flower(letter)) : [say("keep.none")]));
    button.addEventListener("click", () => keep(letters));
    return button;
  }));
}

function bar(chance) {
  const made = element("span", { class: "bar", "aria-hidden": "true" }, element("span"));
  made.firstChild.style.setProperty("--chance", chance);
  return made;
}

function showOptions(turn, answer) {
  const ranked = [...answer.options].sort((a, b) => a.gives_up - b.gives_up);
  $("options").tBodies[0].replaceChildren(...ranked.map((option) => {
    const { standing } = option;
    const cost = standing === "best" || standing === "equal" ? say(`standing.${standing}`) : say("minus", { gap: small(option.gives_up) });
    const fails = option.draw
      ? [bar(option.fail.chance), element("span", {}, oneIn(option.fail)), element("span", { class: "percent" }, option.fail.in ? percent(option.fail) : "")]
      : ["–"];
    return element("tr", { class: standing || "worse" },
      element("th", { scope: "row" }, option.draw ? say("do.draw", { n: option.draw }) : say("do.stop")),
      element("td", {}, cost),
      element("td", {}, element("span", { class: "fails" }, ...fails)));
  }));
}

function showChances(draws) {
  $("chances").querySelector("ol").replaceChildren(...draws.map(({ draw, fail }) => {
    const whole = Math.min(99, Math.max(1, Math.round(100 * fail.chance)));
    const digits = fail.in ? (fail.chance < 0.005 ? "<1" : fail.chance > 0.995 ? ">99" : String(whole)) : fail.percent;
    const column = bar(fail.chance);
    return element("li", {}, element("span", { class: "chance" }, say("percent", { digits })), column,
      element("span", { class: "n" }, String(draw)));
  }));
}

function showWhy(turn, answer) {
  const { why } = answer;
  const unit = say(`unit.${answer.value}`);
  const said = [];
  if (why.ways) {
    const { pool, every, safe } = why.ways;
    const failing = Object.entries(why.failing).map(([letter, n]) => say("why.colour", { n, flower: say(`flower.${letter}`) }));
    said.push(why.draw === 1
      ? say(failing.length ? "why.one" : "why.one.safe", { safe, pool, failing: listed(failing, "conjunction") })
      : say("why.ways", { n: why.draw, safe, every, pool }));
  }
  const rows = [];
  if (why.worth_safe !== null) rows.push(["why.safe", percent(why.safe), decimal(why.worth_safe)]);
  if (why.worth_failed !== null) rows.push(["why.fails", percent(why.fail), decimal(why.worth_failed)]);
  const sum = element("table", { class: "sum" }, element("caption", {}, say(turn.hand ? "why.if_more" : "why.if", { n: why.draw, unit })),
    element("tbody", {},
      ...rows.map(([key, chance, worth]) => element("tr", {}, element("th", { scope: "row" }, say(key)),
        element("td", {}, chance), element("td", {}, say("times", { worth })))),
      element("tr", { class: "total" }, element("th", { scope: "row" }, say("why.together")), element("td"), element("td", {}, decimal(why.worth))),
      ...(why.stop === null ? [] : [element("tr", {}, element("th", { scope: "row" }, say("why.stop")), element("td"), element("td", {}, decimal(why.stop)))])));
  const then = why.then.map(({ draw, chance }) => say("why.then.part", { what: draw ? say("do.draw_more", { n: draw }).toLowerCase() : say("do.stop").toLowerCase(), percent: percent(chance) }));
  if (then.length) said.push(say("why.then", { then: listed(then, "disjunction") }));
  if (why.even) said.push(say("why.even", { n: why.draw, risk: risk(why.even) }));
  said.push(say(`why.${answer.value}`));
  $("why").querySelector("div").replaceChildren(sum, ...said.map((text) => element("p", {}, capital(text))));
}
