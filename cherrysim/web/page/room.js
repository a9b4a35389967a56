// What every page has around its game: dialogs, and a screen that stays on.

import { $ } from "./parts.js";

export function dialogs() {
  $("open-settings").addEventListener("click", () => $("settings").showModal());
  $("open-help").addEventListener("click", () => $("help").showModal());
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.querySelector(".close").addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  }
}

// Where the browser allows it: not over plain http from another machine.
export function keepAwake() {
  const stay = async () => {
    if (document.visibilityState === "visible") await navigator.wakeLock?.request("screen").catch(() => {});
  };
  document.addEventListener("visibilitychange", stay);
  document.addEventListener("pointerdown", stay, { once: true });
}
