// The server's answer in words: the verdict first, then every choice, the chances and why.

import { settings } from "./memory.js";
import { $, bar, element, flower, row, write } from "./parts.js";
import { capital, decimal, listed, oneIn, percent, risk, say, small } from "./say.js";

export function showAnswer(turn, answer, game, keep) {
  const turning = answer.kind === "turn";
  const odds = settings.show === "odds";
  const draws = turning ? answer.options.filter((option) => option.draw) : [];
  document.body.dataset.kind = turning && !odds && !answer.best ? "stop" : answer.kind;
  document.body.classList.toggle("odds", odds);
  const words = !turning ? otherWords(answer) : odds ? oddsWords(answer) : adviceWords(turn, answer);
  ["what", "risk", "worth", "near"].forEach((id, i) => write(id, words[i] ?? ""));
  showKeep(answer, keep);
  if (answer.kind !== "turn" || answer.no_draw) $("end-draw").disabled = true;
  $("options").hidden = odds || !draws.length;
  if (draws.length) showOptions(answer);
  $("chances").hidden = !draws.length;
  showChances(draws);
  $("why").hidden = odds || !answer.why;
  if (answer.why) showWhy(turn, answer);
  const hidden = { n: game.hidden, bags: answer.bags, of: answer.bag_size + game.hidden };
  const note = answer.bags > 1 ? "hidden.bags" : "hidden";
  $("hidden-note").textContent = turning && game.hidden ? say(note, hidden) : "";
}

// Four lines of a verdict: what to do, the risk, the worth, a close call

function otherWords(answer) {
  if (answer.refused) return [say("refused"), answer.refused];
  if (answer.kind === "over") return [say("over"), say("over.what")];
  if (answer.kind === "empty") return [say("empty"), say("empty.what")];
  const why = listed(answer.conditions.map((name) => say(`failed.${name}`)), "conjunction");
  return [say("failed"), capital(why), say(answer.keep.length ? "failed.keep" : "failed.nothing")];
}

// Odds only: how one more flower goes.
function oddsWords(answer) {
  const first = answer.options.find((option) => option.draw);
  if (!first) return [say("no_draw"), say(`no_draw.${answer.no_draw}`)];
  const fails = first.fail.in ? say("odds.more", { percent: percent(first.fail) }) : say("odds.one");
  return [oneIn(first.fail), fails];
}

function adviceWords(turn, answer) {
  const best = answer.options.find((option) => option.standing === "best");
  const equal = drawsOf(answer, "best", "equal");
  const close = drawsOf(answer, "near");
  const tied = equal.length > 1;
  const others = choices(close, turn).toLowerCase();
  const near = close.length ? say("near", { choices: others }) : tied ? say("equal") : "";
  const words = best.draw ? drawWords(answer, best) : stopWords(answer, best, tied);
  return [choices(tied ? equal : [best.draw], turn), ...words, near];
}

const drawsOf = (answer, ...standings) =>
  answer.options.filter((option) => standings.includes(option.standing)).map((option) => option.draw);

// Several choices, "draw" said once: stop or draw 1 or 2 more
function choices(draws, turn) {
  const numbers = listed(draws.filter(Boolean).map(String), "disjunction");
  const drawing = say(turn.hand ? "do.draw_more" : "do.draw", { n: numbers });
  if (!draws.includes(0)) return drawing;
  return numbers ? say("do.stop_or", { other: drawing.toLowerCase() }) : say("do.stop");
}

function drawWords(answer, { worth, fail }) {
  const { advantage } = answer;
  const more = advantage >= 0.1 ? decimal(advantage) : small(advantage ?? 0);
  const unit = say(`unit.${answer.value}`);
  return [
    fail.in ? say("draw.risk", { risk: risk(fail) }) : say(fail.chance ? "always.long" : "never.long"),
    say(advantage ? "worth.more" : "worth", { worth: decimal(worth), unit, more }),
  ];
}

function stopWords(answer, { worth }, tied) {
  const { why } = answer;
  const unit = say(`unit.${answer.value}`);
  if (!why) return [say(`no_draw.${answer.no_draw}`), say("worth.sure", { worth: decimal(worth), unit })];
  const gap = small(answer.options.find((option) => option.draw === why.draw).gives_up);
  return [
    say("stop.risk", { n: why.draw, risk: risk(why.fail) }),
    tied ? "" : say("stop.gives_up", { gap, unit }),
  ];
}

// After a failure: what can be kept, to choose from

function showKeep(answer, keep) {
  const choosing = answer.kind === "failed" || answer.kind === "over";
  const kept = answer.keep?.length ? answer.keep : [""];
  $("keep").hidden = !choosing;
  $("keep").replaceChildren(...(choosing ? kept : []).map((letters) => {
    const names = listed([...letters].map((letter) => say(`flower.${letter}`)), "conjunction");
    const label = letters ? say("keep", { flowers: names }) : say("keep.none");
    const shown = letters ? [...letters].map((letter) => flower(letter)) : [label];
    const button = element("button", { type: "button", "aria-label": label }, ...shown);
    button.addEventListener("click", () => keep(letters));
    return button;
  }));
}

// Every choice, the best first

function showOptions(answer) {
  const ranked = [...answer.options].sort((a, b) => a.gives_up - b.gives_up);
  $("options").tBodies[0].replaceChildren(...ranked.map(({ draw, fail, gives_up: gap, standing }) => {
    const what = draw ? say("do.draw", { n: draw }) : say("do.stop");
    const first = standing === "best" || standing === "equal";
    const cost = first ? say(`standing.${standing}`) : say("minus", { gap: small(gap) });
    const share = element("span", { class: "percent" }, fail.in ? percent(fail) : "");
    const fails = draw
      ? [bar(fail.chance), element("span", {}, oneIn(fail)), share]
      : [element("span", {}, "–")];
    return row(what, [cost, element("span", { class: "fails" }, ...fails)], standing || "worse");
  }));
}

function showChances(draws) {
  $("chances").querySelector("ol").replaceChildren(...draws.map(({ draw, fail }) => {
    const whole = String(Math.round(100 * fail.chance));
    // neither never nor always where it is not
    const digits = fail.in && whole === "0" ? "<1" : fail.in && whole === "100" ? ">99" : whole;
    return element("li", {}, element("span", { class: "chance" }, say("percent", { digits })),
      bar(fail.chance), element("span", { class: "n" }, String(draw)));
  }));
}

// The calculation behind the best draw, whether it is advised or not

function showWhy(turn, answer) {
  const { why, value } = answer;
  const said = [...waysWords(why)];
  if (why.then.length) said.push(say("why.then", { then: listed(why.then.map(thenWords), "disjunction") }));
  if (why.even) said.push(say("why.even", { n: why.draw, risk: risk(why.even) }));
  said.push(say(`why.${value}`));
  const caption = say(turn.hand ? "why.if_more" : "why.if", { n: why.draw, unit: say(`unit.${value}`) });
  const sum = element("table", { class: "sum" }, element("caption", {}, caption), sumOf(why));
  $("why").querySelector("div").replaceChildren(sum, ...said.map((text) => element("p", {}, text)));
}

function sumOf(why) {
  const parts = [["why.safe", why.safe, why.worth_safe], ["why.fails", why.fail, why.worth_failed]];
  const rows = parts
    .filter(([, , worth]) => worth !== null)
    .map(([key, chance, worth]) => row(say(key), [percent(chance), say("times", { worth: decimal(worth) })]));
  rows.push(row(say("why.together"), ["", decimal(why.worth)], "total"));
  if (why.stop !== null) rows.push(row(say("why.stop"), ["", decimal(why.stop)]));
  return element("tbody", {}, ...rows);
}

function waysWords({ draw, ways, failing }) {
  if (!ways) return [];
  if (draw > 1) return [say("why.ways", { ...ways, n: draw })];
  const colours = Object.entries(failing)
    .map(([letter, n]) => say("why.colour", { n, flower: say(`flower.${letter}`) }));
  const words = { ...ways, failing: listed(colours, "conjunction") };
  return [say(colours.length ? "why.one" : "why.one.safe", words)];
}

function thenWords({ draw, chance }) {
  const what = draw ? say("do.draw_more", { n: draw }) : say("do.stop");
  return say("why.then.part", { what: what.toLowerCase(), percent: percent(chance) });
}
