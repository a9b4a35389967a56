// A game at a moment: whose turn it is, what can be done, everybody's flowers, chances, the score.

import { curve } from "./curve.js";
import { settings } from "./memory.js";
import { $, bar, element, flower, row, write } from "./parts.js";
import { decimal, listed, oneIn, percent, risk, say } from "./say.js";
import { bare, chosen, draws, rest, takeLast } from "./written.js";

const LETTERS = "PYLDWB";
const name = (letter) => say(`flower.${letter}`);
const share = (value) => decimal(100 * value, 1);
const counterShown = () => settings.counter === "shown";
let shown = null; // the part buttons' own moment, so that they are not built anew under a finger

export function showMoment(view, choosePart) {
  const { moment, fresh, text } = view;
  showPad(view);
  if (!moment) return;
  if (moment.refused) {
    verdict([say("refused"), moment.refused]);
    return;
  }
  const mover = moment.names[moment.to_move];
  write("whose", moment.to_move === null ? "" : say("whose", { n: moment.turn, name: mover }));
  if (fresh) showParts(view, choosePart);
  showChances(fresh && settings.mode !== "after" ? moment.fails : []);
  showSeats(moment);
  showScore(moment);
  $("bag-line").textContent = counterShown() ? say("bag.left", { n: moment.bag_size }) : "";
  $("record-text").textContent = bare(text);
  const record = encodeURIComponent(`${bare(text).replace(/ \|$/, "")}\n`);
  $("download").href = `data:text/plain;charset=utf-8,${record}`;
}

const verdict = (lines) => ["what", "risk", "worth", "near"].forEach((id, i) => write(id, lines[i] ?? ""));

// The pad

function showPad({ text, moment, fresh, memory, tapped }) {
  const can = moment && !moment.refused;
  [...$("flowers").children].forEach((button, i) => {
    const already = tapped.filter((letter) => letter === LETTERS[i]).length;
    const n = can ? moment.bag[i] - already : 0;
    button.disabled = !(can && moment.taps > tapped.length && n > 0);
    button.querySelector(".count").textContent = can && counterShown() ? n : "";
    const label = counterShown() ? "add.counted" : "add";
    button.setAttribute("aria-label", say(label, { flower: name(LETTERS[i]), n }));
  });
  const drawing = ["collect", "missed"].includes(moment?.phase);
  $("flowers").hidden = Boolean(can && fresh && !moment.taps && !drawing);
  const besides = can && fresh && !moment.missed ? moment.bonus + moment.told : "";
  showHand(draws(text) ?? [can && fresh ? moment.hand : ""], besides);
  const [n, of] = can ? moment.draws : [0, 0];
  $("used").textContent = n ? say("used.of", { n, of }) : "";
  $("undo").disabled = !memory.canUndo;
  $("redo").disabled = !memory.canRedo;
  $("take-off").disabled = !memory.canUndo && takeLast(text) === null;
  $("miss").disabled = !(can && fresh && moment.may_miss);
  $("end-draw").disabled = !(can && fresh && moment.may_end_draw);
  $("stop").disabled = !(can && fresh && moment.choices.some(({ parts }) => parts[0].stop));
}

function showHand(runs, bonus) {
  const gap = () => element("li", { class: "gap", "aria-hidden": "true" });
  const token = (letter) => element("li", {}, letter === "?"
    ? element("span", { class: "missed", role: "img", "aria-label": say("missed.one") }, letter)
    : flower(letter, name(letter)));
  const all = bonus ? [...runs, bonus] : runs;
  const tokens = all.flatMap((run, i) => [...(i ? [gap()] : []), ...[...run].map(token)]);
  const none = $("flowers").hidden ? [] : [element("li", { class: "note" }, say("hand.none"))];
  $("hand").replaceChildren(...(tokens.length ? tokens : none));
  $("hand-row").hidden = !tokens.length && !none.length;
  $("hand").classList.toggle("many", tokens.length > 8);
}

// What can be chosen, part by part

export function partWords(part, moment) {
  if (part.hide) return say("part.hide", { flower: name(part.hide) });
  if (part.hide === null) return say("part.hide.none");
  if ("keep" in part) {
    const flowers = listed([...part.keep].map(name), "conjunction");
    return part.keep ? say("part.keep", { flowers }) : say("part.keep.none");
  }
  if (part.card) return say("part.card", { card: title(part.card) });
  if (part.give) return say("part.give", { flower: name(part.give), place: say(`place.${part.from}`) });
  if (part.take) return say("part.take", { flower: name(part.take), name: moment.names[part.seat] });
  if (part.place) return say("part.place", { flower: name(part.place), place: placeWords(part.to, moment) });
  if (part.drawn) {
    return part.drawn === "?" ? say("part.drawn.unknown") : say("part.drawn", { flower: name(part.drawn) });
  }
  if (part.draw) return say("part.draw", { n: part.draw });
  if (part.reveal) return say("part.reveal", { name: part.reveal });
  if (part.split) return say("part.split", { name: part.split, warm: part.warm, cool: part.cool });
  return say(part.stop ? "part.stop" : part.over ? "part.over" : "part.end");
}

const title = (card) => card.split("_").map((word) => word[0].toUpperCase() + word.slice(1)).join(" ");
const placeWords = (to, moment) => (typeof to === "number" ? moment.names[to] : say(`place.${to}`));
const moveWords = (parts, moment) =>
  parts.map((part) => partWords(part, moment)).map((words, i) => (i ? inside(words) : words)).join(", ");
const lettersOf = ({ hide, keep, give, take, place, drawn }) =>
  hide ?? keep ?? give ?? take ?? place ?? drawn ?? "";

function showParts({ moment, text }, choosePart) {
  const taken = chosen(text);
  const others = moment.choices.filter(({ parts }) => !parts[0].stop);
  const open = others.map((choice) => rest(choice, taken)).filter(Boolean);
  // a card's own parts come after the card, the others in any order
  const next = open.flatMap((left) => (left[0]?.card ? left.slice(0, 1) : left));
  const parts = [...new Map(next.map((part) => [JSON.stringify(part), part])).values()];
  $("parts").hidden = !parts.length;
  const key = JSON.stringify([text, settings.language]);
  if (key === shown) return;
  shown = key;
  $("parts").replaceChildren(...parts.map((part) => {
    const letters = [...String(lettersOf(part))].filter((letter) => LETTERS.includes(letter));
    const flowers = letters.map((letter) => flower(letter));
    const words = element("span", {}, partWords(part, moment));
    const value = JSON.stringify(part);
    const button = element("button", { type: "button", value }, ...flowers, words);
    button.addEventListener("click", () => choosePart(part));
    return button;
  }));
}

// The verdict and every choice

export function showAdvice({ moment, advice, fresh, text }, chooseKey) {
  if (!moment || moment.refused) return;
  const mover = moment.names[moment.to_move];
  const told = advice && fresh && settings.mode === "advice" ? advice : null;
  const lines = told ? adviceWords(told, moment) : otherWords(moment, mover, text);
  verdict(lines);
  $("what").classList.toggle("long", lines[0].length > 24);
  const waiting = fresh && moment.advice && settings.mode === "advice";
  const later = settings.mode === "after" && !moment.score ? say("after.note") : "";
  write("layer", told ? layerWords(told) : waiting ? say("layer.none") : later);
  $("options").hidden = $("why").hidden = !told;
  document.body.dataset.kind = told?.options[0].parts[0].stop ? "stop" : moment.phase;
  if (told) showOptions(told, moment, chooseKey);
}

function otherWords(moment, mover, text) {
  if (moment.card) return [say("card.drew", { card: moment.card, n: moment.awaited })];
  if (moment.awaited) return [say("reveal.tap", { n: moment.awaited })];
  if (moment.score) return [wonWords(moment)];
  if (moment.phase === "end") return [say("score.over")];
  if (moment.phase === "over") return [say("over"), say("over.what")];
  if (moment.missed) return [say("missed", { n: moment.missed }), "", say("missed.what", { name: mover })];
  if (moment.phase === "keep") {
    return [say("failed"), listed(moment.conditions.map((why) => say(`failed.${why}`)), "conjunction")];
  }
  if (moment.phase !== "collect" || chosen(text).length) return [say("pick", { name: mover })];
  const [first] = moment.fails;
  if (!first || settings.mode === "after") return [say("draw.now", { name: mover })];
  return [oneIn(first), first.in ? say("odds.more", { percent: percent(first) }) : say("odds.one")];
}

function adviceWords({ options, value }, moment) {
  const [best] = options;
  const { fail, parts } = best;
  const draw = parts[0].draw;
  const drawing = say(moment.hand ? "do.draw_more" : "do.draw", { n: String(draw) });
  const what = draw ? drawing : moveWords(parts, moment);
  const sure = say(fail.chance ? "always.long" : "never.long");
  const failing = draw && (fail.in ? say("draw.risk", { risk: risk(fail) }) : sure);
  const next = moment.fails[0];
  const stopping = parts[0].stop && next ? say("stop.risk", { n: 1, risk: risk(next) }) : "";
  const worth = value === "win" ? share(best.share) : decimal(best.score, 1);
  const equal = options.filter(({ standing }) => standing === "equal").slice(0, 3);
  const near = equal.length ? say("near", { choices: together(equal, moment) }) : "";
  return [what, failing || stopping, say(`share.${value}`, { worth }), near];
}

// Several choices; of draws "draw" is said once: draw 1 or 2 more.
function together(options, moment) {
  const draws = options.map(({ parts }) => parts[0].draw).sort((a, b) => a - b);
  if (!draws.every(Boolean)) {
    return listed(options.map(({ parts }) => inside(moveWords(parts, moment))), "disjunction");
  }
  const n = listed(draws.map(String), "disjunction");
  return inside(say(moment.hand ? "do.draw_more" : "do.draw", { n }));
}

// Within a sentence; a player's name further on keeps its capital.
const inside = (words) => words.charAt(0).toLowerCase() + words.slice(1);

// Where the numbers come from, and of games the widest of their errors.
function layerWords({ method, games, layer, value, options }) {
  if (method === "instant" && layer === "deep") return say("layer.alone");
  const widest = Math.max(...options.map(({ reach }) => reach ?? 0));
  const unit = value === "win" ? say("percent", { digits: decimal(100 * widest, 1) })
    : say("share.score", { worth: decimal(widest, 1) });
  return say(`layer.${method}`, { n: games, reach: unit });
}

function showOptions(advice, moment, chooseKey) {
  const wins = advice.value === "win";
  $("unit-head").textContent = say(wins ? "options.wins" : "unit.front");
  const worths = advice.options.map(({ worth }) => worth);
  const [top, low] = [Math.max(...worths), Math.min(...worths)];
  $("options").tBodies[0].replaceChildren(...advice.options.slice(0, 8).map((option) => {
    const { parts, key, worth, fail, standing } = option;
    const words = moveWords(parts, moment);
    const number = element("span", {}, wins ? say("percent", { digits: share(worth) }) : decimal(worth, 1));
    const length = wins ? worth : (worth - low) / Math.max(top - low, 1e-9);
    const risky = parts[0].draw ? [oneIn(fail)] : ["–"];
    const cells = [element("span", { class: "wins" }, bar(length), number),
      element("span", { class: "fails" }, ...risky)];
    return row(label(words, parts, () => chooseKey(key)), cells, standing || "worse");
  }));
  const why = whyWords(advice, moment).map((words) => element("p", {}, words));
  $("why").querySelector("div").replaceChildren(...why);
}

// Draws are tapped; everything else can be chosen from the table, too.
function label(words, parts, choose) {
  if (parts[0].draw) return words;
  const button = element("button", { type: "button", class: "plain" }, words);
  button.addEventListener("click", choose);
  return button;
}

function whyWords({ options, taken }, moment) {
  const rows = options.slice(0, 8).map((option) => {
    const numbers = { share: share(option.share), score: decimal(option.score, 1) };
    return `${moveWords(option.parts, moment)}: ${say("why.row", numbers)}`;
  });
  const granted = taken.map((one) => say(`taken.${one.what}`, one));
  return [say("why.game", { name: moment.names[moment.to_move] }), ...rows, ...granted];
}

function showChances(fails) {
  $("chances").hidden = !fails.length;
  $("chances").querySelector("ol").replaceChildren(...fails.map((fail, i) => {
    const whole = String(Math.round(100 * fail.chance));
    const digits = fail.in && whole === "0" ? "<1" : fail.in && whole === "100" ? ">99" : whole;
    return element("li", {}, element("span", { class: "chance" }, say("percent", { digits })),
      bar(fail.chance), element("span", { class: "n" }, String(i + 1)));
  }));
}

// Everybody's flowers, chances, the score

const note = (words) => element("span", { class: "note" }, words);

function showSeats(moment) {
  $("seats").replaceChildren(...moment.seats.map((seat, i) => {
    const unknown = ["secret", "unseen"].filter((kind) => seat[kind])
      .map((kind) => note(say(`seat.${kind}`, { n: seat[kind] })));
    return element("section", { class: i === moment.to_move ? "seat moves" : "seat" },
      element("h3", {}, moment.names[i]),
      note(say("seat.points", { n: seat.points })),
      flowersOf("seat.front", seat.front), flowersOf("seat.behind", seat.behind, unknown));
  }));
}

function flowersOf(key, counts, more = []) {
  const shownCounts = counts.map((n, i) => [LETTERS[i], n]).filter(([, n]) => n);
  const tokens = shownCounts.map(([letter, n]) =>
    element("span", { class: "tokens" }, flower(letter, name(letter)), String(n)));
  const none = tokens.length || more.length ? [] : [note(say("seat.none"))];
  return element("p", { class: "lie" }, note(say(key)), ...tokens, ...more, ...none);
}

export function showCurve(moment, shares) {
  const known = shares.filter((turn) => turn?.length);
  $("curve").hidden = known.length < 2;
  if (known.length < 2) return;
  const last = known.at(-1);
  const legend = moment.names.map((player, i) => element("span", { class: `seat-${i}` },
    say("curve.said", { name: player, digits: share(last[i]) })));
  $("curve").querySelector("div").replaceChildren(curve(known), element("p", { class: "legend" }, ...legend));
}

function wonWords({ score, names }) {
  const winners = score.winners.map((seat) => names[seat]);
  return winners.length > 1
    ? say("score.tie", { names: listed(winners, "conjunction") }) : say("score.won", { name: winners[0] });
}

function showScore({ score, names }) {
  $("sheet").hidden = !score;
  if (!score) return;
  const number = (value) => decimal(value, Number.isInteger(value) ? 0 : 1);
  const keys = ["front", "warm", "cool", "total"];
  const head = ["player", ...keys].map((key) => element("th", { scope: "col" }, say(`score.${key}`)));
  $("sheet").tHead.replaceChildren(element("tr", {}, ...head));
  $("sheet").tBodies[0].replaceChildren(...score.players.map((player, i) =>
    row(names[i], points(player).map(number), score.winners.includes(i) ? "best" : "")));
}

const points = (player) => [player.front_points, player.warm.points, player.cool.points, player.total];
