// The game as the text of a record, whose last line is being written. Plain functions from text to text: what
// may be tapped and chosen, the server says. A last line `# [...]` holds the parts of a choice chosen so far.

const NOTE = /\n# ([^\n]*)$/;
const RUN = /^(.*(?::|\||drew)|reveal .*?) ?([PYLDWB?]+)$/s;

export const bare = (text) => text.replace(NOTE, "");
export const lastLine = (text) => bare(text).slice(bare(text).lastIndexOf("\n") + 1);
export const withLines = (text, lines) => bare(text).slice(0, bare(text).lastIndexOf("\n") + 1) + lines;

export function tap(text, letter) {
  const line = lastLine(text);
  return withLines(text, line + (/(?::|\||drew)$/.test(line) ? " " : "") + letter);
}

export const endDraw = (text) => withLines(text, `${lastLine(text)} |`);

// Without the last flower of the draw that is being told, or the bar after it; null where there is neither.
export function takeLast(text) {
  const line = lastLine(text);
  if (line.endsWith(" |")) return withLines(text, line.slice(0, -2));
  return RUN.test(line) ? withLines(text, shorter(line.slice(0, -1))) : null;
}

export function takeOff(text, letter) {
  const line = lastLine(text);
  const run = RUN.exec(line)?.[2] ?? "";
  const at = line.length - run.length + run.lastIndexOf(letter);
  return run.includes(letter) ? withLines(text, shorter(line.slice(0, at) + line.slice(at + 1))) : null;
}

const shorter = (line) => (line.startsWith("reveal") ? line : line.trimEnd());

// The draws of the turn that is being written, each as letters; none once it has been decided.
export function draws(text) {
  const found = /^[0-9]+\. .*: ?([PYLDWB? |]*)$/.exec(lastLine(text));
  return found ? found[1].split("|").map((letters) => letters.trim()) : null;
}

export const inDraw = (text) => /^[PYLDWB]+$/.test(draws(text)?.at(-1) ?? "");

export function chosen(text) {
  try {
    return JSON.parse(NOTE.exec(text)?.[1] ?? "[]");
  } catch {
    return [];
  }
}

export const choose = (text, parts) =>
  parts.length ? `${bare(text)}\n# ${JSON.stringify(parts)}` : bare(text);

// What is left of a choice once some of its parts are chosen; null where they are not its own.
export function rest(choice, parts) {
  const left = choice.parts.map((part) => JSON.stringify(part));
  for (const part of parts.map((one) => JSON.stringify(one))) {
    const at = left.indexOf(part);
    if (at < 0) return null;
    left.splice(at, 1);
  }
  return left.map((part) => JSON.parse(part));
}

export const toLink = (text) => `game=${encodeURIComponent(text)}`;

export function fromLink(link) {
  if (!link.startsWith("game=")) return null;
  try {
    return decodeURIComponent(link.slice(5));
  } catch {
    return null;
  }
}
