// The turn as it is tapped in: plain values and functions that return new ones. Nothing of the rules is here
// but their limits; whether a collection has failed, and what to do, the server says.
//
// A turn is { players, past, hand, front, value }. `past` is what left the bag ({ back: false, counts }) and
// went back ({ back: true, counts }), in order, since the bag was full. `hand` is letters in the order of the
// draw, a dot after each draw that has ended: "PY.L" is a draw of two and one that has just begun.

export const LETTERS = "PYLDWB"; // the order of the colours everywhere
const NONE = [0, 0, 0, 0, 0, 0];
const MOST_LINK = 4000; // characters; a whole game takes a few hundred

export function fresh(players = 4, value = "kept") {
  return { players, past: [], hand: "", front: NONE, value };
}

const plus = (a, b) => a.map((n, i) => n + b[i]);
const minus = (a, b) => a.map((n, i) => n - b[i]);
const one = (i) => NONE.map((_, j) => (j === i ? 1 : 0));
export const total = (counts) => counts.reduce((sum, n) => sum + n, 0);
export const countsOf = (letters) => [...LETTERS].map((letter) => letters.split(letter).length - 1);

export const held = (turn) => countsOf(turn.hand);
export const size = (turn) => total(held(turn));
const draws = (turn) => turn.hand.split(".").filter(Boolean);
export const drawsUsed = (turn) => draws(turn).length;
export const ended = (turn) => turn.hand === "" || turn.hand.endsWith(".");

// What is out of the bag besides the hand, and what may still be in it.
export function out(turn) {
  return turn.past.reduce((sum, { back, counts }) => (back ? minus(sum, counts) : plus(sum, counts)), NONE);
}
export const left = (turn, game) => minus(minus(game.bag, out(turn)), held(turn));

// The hand

export function mayAdd(turn, i, game, limits) {
  const room = size(turn) <= limits.flowers && !(ended(turn) && drawsUsed(turn) >= limits.draws);
  return room && left(turn, game)[i] > 0 && total(left(turn, game)) > game.hidden;
}

export const add = (turn, i) => ({ ...turn, hand: turn.hand + LETTERS[i] });

export function takeOff(turn, i) {
  const at = turn.hand.lastIndexOf(LETTERS[i]);
  return at < 0 ? turn : { ...turn, hand: tidy(turn.hand.slice(0, at) + turn.hand.slice(at + 1)) };
}

export const takeLast = (turn) => ({ ...turn, hand: tidy(turn.hand.replace(/\.$/, "").slice(0, -1)) });

// A draw that lost its last flower did not happen.
const tidy = (hand) => hand.replace(/\.+/g, ".").replace(/^\./, "");

export const endDraw = (turn) => (ended(turn) ? turn : { ...turn, hand: turn.hand + "." });

// So many draws for the same flowers, for whoever forgot to end one: the last become draws of their own.
export function withDraws(turn, n) {
  const letters = draws(turn).join("");
  const first = letters.length - (n - 1);
  return { ...turn, hand: [letters.slice(0, first), ...letters.slice(first)].join(".") };
}

// The hand leaves the bag for good, but for what a failure does not keep.
export function newTurn(turn, kept = null) {
  const hand = held(turn);
  let past = joined(turn.past, false, hand);
  if (kept !== null) past = joined(past, true, minus(hand, countsOf(kept)));
  return { ...turn, past, hand: "" };
}

// The bag and the front

// Draws that follow each other are one: what was between them does not matter to anybody.
function joined(past, back, counts) {
  if (!total(counts)) return past;
  const last = past.at(-1);
  if (last?.back !== back) return [...past, { back, counts }];
  return [...past.slice(0, -1), { back, counts: plus(last.counts, counts) }];
}

// So many of a colour out of the bag: more are a draw, fewer correct the last draws that had that colour.
export function withOut(turn, i, n) {
  let past = turn.past;
  const change = n - out(turn)[i];
  if (change > 0) past = joined(past, false, one(i).map((k) => k * change));
  for (let k = change; k < 0; k += 1) {
    const at = past.findLastIndex((event) => !event.back && event.counts[i] > 0);
    const smaller = { back: false, counts: minus(past[at].counts, one(i)) };
    past = [...past.slice(0, at), smaller, ...past.slice(at + 1)]
      .reduce((kept, event) => joined(kept, event.back, event.counts), []);
  }
  const front = turn.front.map((k, j) => (j === i ? Math.min(k, n) : k));
  return { ...turn, past, front };
}

// What lies in front is out of the bag, too.
export function withFront(turn, i, n) {
  const larger = n > out(turn)[i] ? withOut(turn, i, n) : turn;
  return { ...larger, front: larger.front.map((k, j) => (j === i ? n : k)) };
}

// The same turn in another game, as far as that has so many flowers.
export function withPlayers(turn, players, games) {
  let other = { ...turn, players };
  const bag = games[players].bag;
  if (held(turn).some((n, i) => n > bag[i])) other = { ...other, hand: "" };
  out(turn).forEach((n, i) => {
    const most = bag[i] - held(other)[i];
    if (n > most) other = withOut(other, i, most);
  });
  return total(left(other, games[players])) < games[players].hidden ? fresh(players, turn.value) : other;
}

// The question for the server, and the link that holds the whole turn

const text = (counts) => counts.map((n, i) => (n ? LETTERS[i] + n : "")).join("");

export function question(turn) {
  return {
    players: turn.players,
    past: turn.past.map(({ back, counts }) => ({ [back ? "return" : "draw"]: text(counts) })),
    hand: text(held(turn)),
    draws_used: drawsUsed(turn),
    front: text(turn.front),
    value: turn.value,
  };
}

export function toLink(turn) {
  const past = turn.past.map(({ back, counts }) => (back ? "-" : "") + text(counts)).join(".");
  const { players, hand, front, value: counts } = turn;
  const parts = { players, out: past, hand, front: text(front), value: counts };
  return Object.entries(parts).filter(([, value]) => value).map((part) => part.join("=")).join("&");
}

// A turn from a link; null for what is none, so that a broken link is never half believed.
export function fromLink(link, games, limits) {
  if (link.length > MOST_LINK) return null;
  const given = Object.fromEntries(link.split("&").map((part) => part.split("=")));
  const known = ["players", "out", "hand", "front", "value"];
  if (link && !Object.keys(given).every((key) => known.includes(key))) return null;
  const { players = "4", out: past = "", hand = "", front = "", value = "kept" } = given;
  const flowers = "(?:[PYLDWB][0-9]{1,2}){0,6}";
  const shape = new RegExp(`^[234]\n(?:-?${flowers}\\.?)*\n(?:[PYLDWB]+\\.?)*\n${flowers}\n(?:kept|front)$`);
  if (!shape.test([players, past, hand, front, value].join("\n"))) return null;
  const events = past.split(".").filter(Boolean)
    .map((event) => ({ back: event[0] === "-", counts: read(event) }));
  const turn = { players: Number(players), past: events, hand, front: read(front), value };
  let gone = NONE;
  for (const { back, counts } of events) {
    gone = back ? minus(gone, counts) : plus(gone, counts);
    if (gone.some((n, i) => n < 0 || n > games[players].bag[i])) return null;
  }
  const wrong =
    left(turn, games[players]).some((n) => n < 0) ||
    total(left(turn, games[players])) < games[players].hidden ||
    turn.front.some((n, i) => n > gone[i]) ||
    drawsUsed(turn) > limits.draws ||
    size(turn) > limits.flowers + 1;
  return wrong ? null : turn;
}

function read(flowers) {
  const counts = [...NONE];
  for (const [, letter, n] of flowers.matchAll(/([PYLDWB])([0-9]+)/g)) {
    counts[LETTERS.indexOf(letter)] += Number(n);
  }
  return counts;
}
