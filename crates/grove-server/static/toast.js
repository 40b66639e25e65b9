// What went wrong, in the corner where it is said what was done. It stays until it is dismissed or something else is said: what is missed there is
// said nowhere else.

/** @param {string} text */
export function showError(text) {
  const toast = document.createElement("div");
  toast.className = "toast error";
  const words = document.createElement("span");
  words.dir = "auto";
  words.textContent = text;
  const dismiss = document.createElement("button");
  dismiss.type = "button";
  dismiss.className = "secondary";
  dismiss.textContent = "Dismiss";
  dismiss.addEventListener("click", () => toast.remove());
  toast.append(words, dismiss);
  document.querySelector("#toasts")?.replaceChildren(toast);
}
