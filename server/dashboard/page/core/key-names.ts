const names: Record<string, string> = {
  " ": "Space",
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Control: "Ctrl",
  Escape: "Esc",
};

/** The presses of a shortcut one after the other, each as the keys that are held together: "g B" is G, then Shift B. */
export function keyNames(keys: string): string[][] {
  // A blank parts two presses, and is a key itself.
  return (keys === " " ? [keys] : keys.split(" ")).map((press) => {
    const held = press === "+" ? [press] : press.split("+");
    return held.flatMap((key) =>
      isCapital(key) ? ["Shift", key] : [names[key] ?? (key.length === 1 ? key.toUpperCase() : key)],
    );
  });
}

/** Whoever types a capital holds Shift; signs that need it on one keyboard do not on another. */
function isCapital(key: string): boolean {
  return key.length === 1 && key !== key.toLowerCase();
}
