// What every page has around its game: dialogs, keys, and a screen that stays on.

import { $ } from "./parts.js";

export function dialogs() {
  $("open-settings").addEventListener("click", () => $("settings").showModal());
  $("open-help").addEventListener("click", () => $("help").showModal());
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.querySelector(".close").addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  }
}

// A key does what `alone` gives for it, Ctrl+Z and Ctrl+Y go back and forth; not in a dialog or a field.
export function keyboard({ alone, undo, redo, ready = () => true }) {
  const withControl = (event) => {
    const key = event.key.toLowerCase();
    if (key === "z") return event.shiftKey ? redo : undo;
    return key === "y" ? redo : null;
  };
  document.addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]")) return;
    if (event.target.matches("input:not([type=radio]), select")) return;
    const held = event.ctrlKey || event.metaKey;
    const act = held ? withControl(event) : event.altKey || !ready() ? null : alone(event);
    if (act) {
      event.preventDefault();
      act();
    }
  });
}

// Where the browser allows it: not over plain http from another machine.
export function keepAwake() {
  const stay = async () => {
    if (document.visibilityState === "visible") await navigator.wakeLock?.request("screen").catch(() => {});
  };
  document.addEventListener("visibilitychange", stay);
  document.addEventListener("pointerdown", stay, { once: true });
}
