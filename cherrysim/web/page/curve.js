// Everybody's chances as lines, one a player, from the first turn to the last.

const SPACE = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [320, 120];

function made(name, attributes) {
  const found = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) found.setAttribute(key, value);
  return found;
}

export function curve(shares) {
  const svg = made("svg", { viewBox: `0 -4 ${WIDTH} ${HEIGHT + 8}`, class: "curve", "aria-hidden": "true" });
  for (const level of [0, 0.5, 1]) {
    svg.append(made("line", { x1: 0, x2: WIDTH, y1: HEIGHT * level, y2: HEIGHT * level }));
  }
  shares[0].forEach((_, seat) => {
    const points = shares.map((turn, i) => {
      const x = (WIDTH * i) / (shares.length - 1);
      return `${x.toFixed(1)},${(HEIGHT * (1 - turn[seat])).toFixed(1)}`;
    });
    svg.append(made("polyline", { points: points.join(" "), class: `seat-${seat}` }));
  });
  return svg;
}
