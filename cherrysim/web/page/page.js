// The page at the table, quick mode: taps and keys change the turn, and each change asks for the verdict.

import { showAnswer } from "./answer.js";
import { Asking, post, setup, troubleOf } from "./ask.js";
import { Memory, set, settings } from "./memory.js";
import { buildCounters, showCounts, showPad } from "./pad.js";
import { $, element, flower, labels, shapes } from "./parts.js";
import { dialogs, keepAwake, keyboard } from "./room.js";
import { say, speak } from "./say.js";
import * as turns from "./turn.js";

const { LETTERS } = turns;
const memory = new Memory("cherrysim.quick");
const asking = new Asking();
let limits, turn, answer;
let afterAnswer = null; // a new turn that waits to hear whether the collection has failed

const game = () => limits.games[turn.players];

// Every change goes through here: kept for undo, put into the link, shown, asked about.
function change(next) {
  if (next === turn) return;
  const link = turns.toLink(next);
  if (link !== memory.now) memory.keep(link);
  show(next);
}

function show(next) {
  turn = next;
  answer = null;
  afterAnswer = null;
  history.replaceState(null, "", `#${turns.toLink(turn)}`);
  showTurn();
  document.body.classList.add("asking");
  asking.ask("ask", turns.question(turn), answered, trouble);
}

function showTurn() {
  showPad(turn, game(), limits, memory);
  showCounts(turn, game());
  for (const [name, value] of Object.entries({ players: turn.players, value: turn.value, ...settings })) {
    const radio = document.querySelector(`input[name="${name}"][value="${value}"]`);
    if (radio) radio.checked = true;
  }
}

function answered(found) {
  answer = found;
  document.body.classList.remove("asking");
  showAnswer(turn, answer, game(), keepAndGoOn);
  afterAnswer?.();
  afterAnswer = null;
}

function trouble(key) {
  $("trouble").hidden = key === null;
  $("trouble").textContent = key === null ? "" : say(key);
}

function keepAndGoOn(letters) {
  change(turns.newTurn(turn, letters));
}

// What the buttons and keys do

const add = (i) => turns.mayAdd(turn, i, game(), limits) && change(turns.add(turn, i));
const takeOff = (i) => change(turns.takeOff(turn, i));
const takeLast = () => turn.hand && change(turns.takeLast(turn));
const endDraw = () => turns.drawsUsed(turn) < limits.draws && change(turns.endDraw(turn));
const undo = () => memory.canUndo && (memory.undo(), show(remembered()));
const redo = () => memory.canRedo && (memory.redo(), show(remembered()));
const remembered = () => turns.fromLink(memory.now, limits.games, limits) ?? turns.fresh();

function newTurn() {
  if (!turn.hand) return;
  if (!answer) {
    afterAnswer = newTurn;
  } else if (answer.kind === "failed" && answer.keep.length > 1) {
    $("keep").scrollIntoView({ block: "nearest" });
    $("keep").querySelector("button").focus();
  } else if (answer.kind === "failed" || answer.kind === "over") {
    keepAndGoOn(answer.keep?.[0] ?? "");
  } else {
    change(turns.newTurn(turn));
  }
}

function alone(event) {
  const key = event.key.toUpperCase();
  const i = LETTERS.indexOf(key === "K" ? "B" : key);
  if (key.length === 1 && i >= 0) return () => (event.shiftKey ? takeOff(i) : add(i));
  if (key === "N") return newTurn;
  if (key === "?") return () => $("help").showModal();
  if (key === "BACKSPACE") return takeLast;
  // a button that has the focus is pressed by Enter, as everywhere
  return key === "ENTER" && !event.target.matches("button, summary, a") ? endDraw : null;
}

// What is built once

function build() {
  $("flowers").replaceChildren(...[...LETTERS].map((letter, i) => {
    const button = element("button", { type: "button", "aria-keyshortcuts": letter },
      flower(letter), element("span", { class: "count", "aria-hidden": "true" }));
    button.addEventListener("click", () => add(i));
    return button;
  }));
  buildCounters($("bag-counters"), (i, n) => {
    const gone = settings.side === "in" ? mostOut()[i] - n : n;
    counted(gone, i, turns.withOut);
  });
  buildCounters($("front-counters"), (i, n) => counted(n, i, turns.withFront));
}

// The most of each colour that can be out of the bag besides the hand.
const mostOut = () => game().bag.map((n, i) => n - turns.held(turn)[i]);

function counted(n, i, withCount) {
  if (Number.isNaN(n)) showCounts(turn, game());
  else change(withCount(turn, i, Math.min(Math.max(n, 0), mostOut()[i])));
}

async function typed(event) {
  event.preventDefault();
  const refuse = (error) => ({ refused: say(troubleOf(error)) });
  const read = await post("flowers", { text: $("typed-text").value }).catch(refuse);
  const refused = read.refused ?? tooMany(read);
  $("typed-trouble").textContent = refused;
  if (refused) return;
  const gone = settings.side === "in" ? mostOut().map((n, i) => n - read[i]) : read;
  change(gone.reduce((next, n, i) => turns.withOut(next, i, n), turn));
  $("typed-text").value = "";
}

function tooMany(counts) {
  const i = counts.findIndex((n, colour) => n > mostOut()[colour]);
  return i < 0 ? "" : say("bag.too_many", { flower: say(`flower.${LETTERS[i]}`), n: mostOut()[i] });
}

function listen() {
  keyboard({ alone, undo, redo });
  // the pad never takes the focus from a finger or a mouse, so that Enter still ends the draw
  $("pad").addEventListener("pointerdown", (event) => {
    if (event.target.closest("button")) event.preventDefault();
  });
  const buttons = { undo, redo, "take-off": takeLast, "end-draw": endDraw, "new-turn": newTurn };
  for (const [id, act] of Object.entries(buttons)) $(id).addEventListener("click", act);
  $("used").addEventListener("change", () => change(turns.withDraws(turn, Number($("used").value))));
  $("new-game").addEventListener("click", () => {
    change(turns.fresh(turn.players, turn.value));
    $("settings").close();
  });
  $("typed").addEventListener("submit", typed);
  dialogs();
  document.addEventListener("change", chosen);
  window.addEventListener("hashchange", () => {
    const given = turns.fromLink(location.hash.slice(1), limits.games, limits);
    if (given) change(given);
  });
  keepAwake();
}

async function chosen({ target: { name, value, type } }) {
  if (type !== "radio") return;
  if (name === "players") change(turns.withPlayers(turn, Number(value), limits.games));
  if (name === "value") change({ ...turn, value });
  if (["show", "counter", "side", "language"].includes(name)) {
    set(name, value);
    if (name === "language") await translate();
    showTurn();
    if (answer) showAnswer(turn, answer, game(), keepAndGoOn);
  }
}

async function translate() {
  await speak(settings.language).catch(() => trouble("trouble.away"));
  labels();
}

async function start() {
  [limits] = await Promise.all([setup(), translate(), shapes()]);
  if (limits.phones) {
    $("phones").hidden = false;
    $("code").src = "code.svg";
    $("phones-link").href = $("phones-link").textContent = limits.phones;
  }
  build();
  listen();
  const linked = turns.fromLink(location.hash.slice(1), limits.games, limits);
  const kept = location.hash.length > 1 && linked ? linked : remembered();
  if (turns.toLink(kept) === memory.now) show(kept);
  else change(kept);
  document.body.classList.add("ready");
}

start();
