import { signal } from "@preact/signals";

interface Toast {
  id: number;
  text: string;
  /** Taking it back, while the toast stands. */
  undo?: (() => void) | undefined;
  bad: boolean;
}

export const toasts = signal<readonly Toast[]>([]);
/** Read out by screen readers, and seen by nobody. */
export const spoken = signal("");

const shownMilliseconds = 5_000;
const undoMilliseconds = 10_000;
const shownMax = 3;
let number = 0;

/** Tells what was done; with `undo` for ten seconds also how to take it back (`Z`). */
export function say(text: string, { undo, bad = false }: { undo?: () => void; bad?: boolean } = {}) {
  const id = ++number;
  toasts.value = [...toasts.value.slice(1 - shownMax), { id, text, undo, bad }];
  setTimeout(() => dismiss(id), undo ? undoMilliseconds : shownMilliseconds);
}

export function dismiss(id: number) {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** Takes the last thing back that can be. */
export function undoLast() {
  const toast = toasts.value.findLast(({ undo }) => undo !== undefined);
  if (!toast) return;
  dismiss(toast.id);
  toast.undo?.();
}

export function speak(text: string) {
  // The same text again would not be read out.
  spoken.value = spoken.value === text ? `${text}\u200b` : text;
}
