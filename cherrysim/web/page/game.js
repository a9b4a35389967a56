// The page at the table, game mode: the game is the text of its record. Taps change the text, each change
// asks the server for the moment (the table and what can be done), then for advice, layer after layer.

import { Asking, post, setup, troubleOf } from "./ask.js";
import { buildBegin, showBegin } from "./begin.js";
import { Followed } from "./follow.js";
import { showAdvice, showCurve, showMoment } from "./gameview.js";
import { Memory, set, settings } from "./memory.js";
import { $, element, flower, labels, shapes } from "./parts.js";
import { dialogs, keepAwake, keyboard } from "./room.js";
import { say, speak } from "./say.js";
import * as texts from "./written.js";

const LETTERS = "PYLDWB";
const memory = new Memory("cherrysim.game");
const moments = new Asking();
const advices = new Asking();
const curves = new Asking();
const followed = new Followed(() => text, (other) => other !== text && (keep(other), show(other)), forked);
let limits;
let text = "";
let moment = null; // what the server said of this text, or of the one before while it is asked
let fresh = false;
let advice = null;
let tapped = []; // letters since the server's last word
let tapping = false; // whether nothing but such letters has come since, so that more may follow unanswered
let reviewed = ""; // the text that a review was made of

const keep = (next) => next !== memory.now && memory.keep(next);

// Every change made here goes through this: kept for undo, put into the link, told to other phones, shown.
function change(next, more = false) {
  if (next === null || next === text) return;
  keep(next);
  show(next, more);
  followed.changed();
}

function show(next, more = false) {
  text = next;
  tapping = tapping && more;
  fresh = false;
  advice = null;
  history.replaceState(null, "", text ? `#${texts.toLink(text)}` : location.pathname);
  $("setup").hidden = Boolean(text);
  $("play").hidden = $("pad").hidden = !text;
  advices.drop();
  curves.drop();
  if (!text) {
    moments.drop();
    moment = null;
    document.body.classList.remove("asking");
    showBegin();
    $("back").hidden = !memory.canUndo;
    return;
  }
  document.body.classList.add("asking");
  showAll();
  moments.ask("game", { record: text }, told, trouble);
}

function told(found) {
  moment = found;
  fresh = tapping = !found.refused;
  tapped = [];
  document.body.classList.remove("asking");
  showAll();
  if (found.refused) return;
  if (found.advice && settings.mode === "advice") askAdvice("instant");
  if (settings.mode !== "after" || found.ended) {
    curves.ask("chances", { record: text }, (shares) => showCurve(moment, shares), () => {});
  }
}

function askAdvice(layer) {
  advices.ask("advice", { record: text, layer, value: settings.aim }, (found) => {
    if (found.refused) return;
    advice = { ...found, layer };
    showAll();
    if (layer === "instant") askAdvice("deep");
  }, () => {});
}

function showAll() {
  const view = { text, moment, fresh, advice, tapped, memory, game: followed.game };
  showMoment(view, choosePart);
  showAdvice(view, chooseKey);
  for (const [name, value] of Object.entries(settings)) {
    const radio = document.querySelector(`input[name="${name}"][value="${value}"]`);
    if (radio) radio.checked = true;
  }
  $("review-link").hidden = reviewed !== text || !reviewed;
  showShare();
}

function trouble(key) {
  $("trouble").hidden = key === null;
  $("trouble").textContent = key === null ? "" : say(key);
}

// What the buttons and keys do

function mayTap(i) {
  const already = tapped.filter((letter) => letter === LETTERS[i]).length;
  return tapping && moment.taps > tapped.length && moment.bag[i] > already;
}

// A draw may be over before the server has heard of its last flower.
const mayEndDraw = () => (fresh ? moment.may_end_draw : tapping && texts.inDraw(text));

function tap(i) {
  if (!mayTap(i)) return;
  tapped = [...tapped, LETTERS[i]];
  change(texts.tap(text, LETTERS[i]), true);
}

const miss = () => fresh && moment.may_miss && change(texts.tap(text, "?"), true);
const undo = () => memory.canUndo && (memory.undo(), show(memory.now), followed.changed());
const redo = () => memory.canRedo && (memory.redo(), show(memory.now), followed.changed());
const takeOff = (i) => change(texts.takeOff(text, LETTERS[i]), true);
const takeLast = () => {
  const shorter = texts.takeLast(text);
  if (shorter === null) undo();
  else change(shorter, true);
};
const endDraw = () => mayEndDraw() && change(texts.endDraw(text), true);
const stop = () => fresh && pick(moment.choices.filter(({ parts }) => parts[0].stop), []);

// One choice alone is made; of several the parts they share are noted and the others asked for.
function pick(choices, parts) {
  const open = choices.filter((choice) => texts.rest(choice, parts));
  const done = open.filter((choice) => !texts.rest(choice, parts).length);
  if (open.length === 1 || done.length) change(texts.withLines(text, (done[0] ?? open[0]).lines));
  else if (open.length) change(texts.choose(text, parts));
}

const choosePart = (part) => fresh && pick(moment.choices, part ? [...texts.chosen(text), part] : []);

// A move of the advice: all its parts at once.
function chooseKey(key) {
  if (!fresh) return;
  const ways = moment.choices.filter((choice) => choice.key === key);
  if (ways.length === 1) change(texts.withLines(text, ways[0].lines));
  else if (ways.length) pick(ways, ways[0].parts.slice(0, -1));
}

function alone(event) {
  const key = event.key.toUpperCase();
  const i = LETTERS.indexOf(key === "K" ? "B" : key);
  if (key.length === 1 && i >= 0) return () => (event.shiftKey ? takeOff(i) : tap(i));
  if (key === "N") return stop;
  if (key === "U") return miss;
  if (key === "?") return () => $("help").showModal();
  if (key === "BACKSPACE") return takeLast;
  if (/^[1-9]$/.test(key)) return () => $("parts").querySelectorAll("button")[Number(key) - 1]?.click();
  return key === "ENTER" && !event.target.matches("button, summary, a") ? endDraw : null;
}

// Records from elsewhere, reviews, other phones

const refused = (error) => ({ refused: say(troubleOf(error)) });

async function begin(document) {
  const begun = await post("begin", document).catch(refused);
  $("begin-trouble").textContent = begun.refused ?? "";
  if (begun.text) change(begun.text);
}

async function review() {
  const record = texts.bare(text).replace(/ \|$/, "");
  $("review").disabled = true;
  $("review").textContent = say("record.reviewing");
  const found = await post("review", { record }).catch(refused);
  $("review").disabled = false;
  $("review").textContent = say("record.review");
  if (found.link) $("review-link").href = found.link;
  $("review-trouble").textContent = found.refused ?? "";
  reviewed = found.link ? text : "";
  $("review-link").hidden = !reviewed;
}

function showShare() {
  const { game } = followed;
  $("shared").hidden = !game;
  $("share").hidden = Boolean(game);
  if (!game) return;
  const link = new URL(`game.html#join=${game}`, limits.phones ?? location.href).href;
  $("join-link").href = $("join-link").textContent = link;
  const picture = `join.svg?game=${game}`;
  $("join-code").hidden = !limits.phones;
  if (limits.phones && $("join-code").getAttribute("src") !== picture) $("join-code").src = picture;
}

function forked(other, mine, theirs) {
  $("fork-own").textContent = lastLines(text);
  $("fork-other").textContent = lastLines(other);
  $("fork-mine").onclick = () => ($("fork").close(), mine());
  $("fork-theirs").onclick = () => ($("fork").close(), theirs());
  if (!$("fork").open) $("fork").showModal();
}

const lastLines = (game) => texts.bare(game).split("\n").slice(3).slice(-4).join("\n");

// What is built once

function build() {
  $("flowers").replaceChildren(...[...LETTERS].map((letter, i) => {
    const button = element("button", { type: "button", "aria-keyshortcuts": letter },
      flower(letter), element("span", { class: "count", "aria-hidden": "true" }));
    button.addEventListener("click", () => tap(i));
    return button;
  }));
  buildBegin(limits, begin);
}

function listen() {
  keyboard({ alone, undo, redo, ready: () => text });
  $("pad").addEventListener("pointerdown", (event) => {
    if (event.target.closest("button")) event.preventDefault();
  });
  const buttons = { undo, redo, miss, back: undo, "take-off": takeLast, "end-draw": endDraw, stop, review };
  for (const [id, act] of Object.entries(buttons)) $(id).addEventListener("click", act);
  $("new-game").addEventListener("click", () => {
    followed.leave();
    change("");
    $("settings").close();
  });
  $("share").addEventListener("click", () => (followed.share(), showShare()));
  $("leave").addEventListener("click", () => (followed.leave(), showShare()));
  dialogs();
  keepAwake();
  document.addEventListener("change", chosen);
  window.addEventListener("hashchange", linked);
}

async function chosen({ target: { name, value, type } }) {
  if (type !== "radio" || !["mode", "aim", "counter", "language"].includes(name)) return;
  set(name, value);
  if (name === "language") {
    await translate();
    buildBegin(limits, begin);
  }
  if (text) show(text);
}

function linked() {
  const link = location.hash.slice(1);
  if (link.startsWith("join=")) {
    show(memory.now);
    followed.join(link.slice(5));
  } else {
    const given = texts.fromLink(link) ?? memory.now;
    if (given !== memory.now) followed.leave(); // another game, wherever the link comes from
    keep(given);
    show(given);
    followed.resume();
  }
}

async function translate() {
  await speak(settings.language).catch(() => trouble("trouble.away"));
  labels();
}

async function start() {
  [limits] = await Promise.all([setup(), translate(), shapes()]);
  build();
  listen();
  linked();
  document.body.classList.add("ready");
}

start();
