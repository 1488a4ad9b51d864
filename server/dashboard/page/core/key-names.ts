const names: Record<string, string> = {
  " ": "Space",
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Control: "Ctrl",
  Escape: "Esc",
};

/** The presses of a shortcut in order, each as the keys that are held together: "g B" is G, then Shift B. */
export function keyNames(keys: string): string[][] {
  // A blank separates two presses, and may be a key itself.
  return (keys === " " ? [keys] : keys.split(" ")).map((press) => {
    const held = press === "+" ? [press] : press.split("+");
    return held.flatMap((key) =>
      isCapital(key) ? ["Shift", key] : [names[key] ?? (key.length === 1 ? key.toUpperCase() : key)],
    );
  });
}

/** A capital letter needs Shift. Other signs do on one keyboard and not on another, so they are named without it. */
function isCapital(key: string): boolean {
  return key.length === 1 && key !== key.toLowerCase();
}
