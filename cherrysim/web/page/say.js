// Words: the strings of a language, and numbers written as that language writes them.

let strings = {};
let english = {};
let language = "en";
const LOCALES = { en: "en-GB", fr: "fr-FR" };
const locale = () => LOCALES[language];

export async function speak(wanted) {
  language = wanted in LOCALES ? wanted : "en";
  const read = async (name) => (await fetch(`${name}.json`)).json();
  [strings, english] = await Promise.all([read(language), read("en")]);
  document.documentElement.lang = language;
}

// A string with its blanks filled. One that differs by number is kept as { one, other } and chosen by `n`.
export function say(key, blanks = {}) {
  let found = strings[key] ?? key;
  if (typeof found === "object") {
    found = found[new Intl.PluralRules(locale()).select(blanks.n)] ?? found.other;
  }
  return found.replace(/\{(\w+)\}/g, (_, name) => {
    const value = blanks[name];
    return typeof value === "number" ? value.toLocaleString(locale()).replace("-", "−") : value;
  });
}

// What the server refuses it says in English: its sentences are the English strings, read backwards. One that
// has no string stays as it is.
export function refusal(text) {
  const names = Object.keys(english).filter((key) => key.startsWith("refusal."));
  for (const name of names.map((key) => key.slice("refusal.".length))) {
    const literal = english[`refusal.${name}`].replace(/[.*+?^$()|[\]\\]/g, "\\$&");
    const found = new RegExp(`^${literal.replace(/\{(\w+)\}/g, "(?<$1>.*)")}$`, "s").exec(text);
    if (!found) continue;
    const blanks = { ...found.groups };
    if (blanks.why) blanks.why = refusal(blanks.why);
    return say(`refusal.${name}`, blanks);
  }
  return text;
}

export function decimal(value, digits = 2) {
  const places = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return value.toLocaleString(locale(), places).replace("-", "−");
}

// A small number with three digits.
export const small = (value) =>
  value >= 0.01 ? decimal(value, 3) : value.toLocaleString(locale(), { maximumSignificantDigits: 2 });

export const listed = (items, type) => new Intl.ListFormat(locale(), { type }).format(items);
export const capital = (text) => text.charAt(0).toLocaleUpperCase(locale()) + text.slice(1);

// A chance as the server tells it: { chance, in: [1, 4], percent: "23.7" }
export function percent({ percent: digits }) {
  return say("percent", { digits: digits.replace(".", decimal(0.5, 1).charAt(1)) });
}

export function oneIn(told) {
  if (told.in) return say("one_in", { n: told.in[0], of: told.in[1] });
  return say(told.chance ? "always" : "never");
}

export const risk = (told) =>
  told.in ? say("both", { few: oneIn(told), percent: percent(told) }) : oneIn(told);
