import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { layers } from "./layers.ts";

export interface Shortcut {
  /**
   * `event.key` of one press, or of two presses separated by a blank: "g b". Modifiers come first: "Alt+ArrowUp",
   * "Control+k".
   */
  keys: string;
  /** Text in the list of shortcuts; shortcuts without a text are not listed. */
  does?: string;
  /** The shortcut works on every page. */
  common?: boolean;
  /** The shortcut works in inputs and dialogs too; only for keys with a modifier. */
  everywhere?: boolean;
  run: (event: KeyboardEvent) => void;
}

/** Registered shortcuts in order: of several with the same keys the last one runs. */
const registered: { shortcut: () => Shortcut }[] = [];
const shortcutsChanged = signal(0);

/** Single keys can be switched off (WCAG 2.1.4). */
export const singleKeys = signal(!/(?:^|;\s*)intake_keys=off/.test(document.cookie));

export function shortcuts(): Shortcut[] {
  return registered.map(({ shortcut }) => shortcut());
}

/** Registers shortcuts while the component is mounted. */
export function useShortcuts(list: readonly Shortcut[]) {
  const latest = useRef(list);
  latest.current = list;
  const count = list.length;
  useEffect(() => {
    const mine = Array.from({ length: count }, (_, i) => ({ shortcut: () => latest.current[i] as Shortcut }));
    registered.push(...mine);
    shortcutsChanged.value++;
    return () => {
      for (const one of mine) registered.splice(registered.indexOf(one), 1);
      shortcutsChanged.value++;
    };
  }, [count]);
}

const chordMilliseconds = 1_000;
let first: { key: string; at: number } | undefined;

export function startKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || /^(Shift|Control|Alt|Meta)$/.test(event.key)) return;
    const key = nameOf(event);
    const plain = key === event.key;
    const busy = isTyping(event.target) || layers.value.length > 0;
    if (plain && !singleKeys.value && key.length === 1) return;
    const chord = first && event.timeStamp - first.at < chordMilliseconds ? `${first.key} ${key}` : undefined;
    const found = find(chord, busy) ?? find(key, busy);
    const begins = plain && !busy && registered.some(({ shortcut }) => shortcut().keys.startsWith(`${key} `));
    first = begins && !found ? { key, at: event.timeStamp } : undefined;
    if (!found) return;
    event.preventDefault();
    found.run(event);
  });
}

function find(keys: string | undefined, busy: boolean): Shortcut | undefined {
  if (keys === undefined) return undefined;
  return registered
    .map(({ shortcut }) => shortcut())
    .findLast((shortcut) => shortcut.keys === keys && (!busy || shortcut.everywhere === true));
}

function nameOf({ key, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): string {
  const named = key.length > 1;
  return [
    ctrlKey || metaKey ? "Control+" : "",
    altKey ? "Alt+" : "",
    // The case of a letter shows whether Shift is held.
    shiftKey && named ? "Shift+" : "",
    key,
  ].join("");
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
