import { signal } from "@preact/signals";

interface Toast {
  id: number;
  text: string;
  /** Undoes the action, as long as the toast is shown. */
  undo?: (() => void) | undefined;
  /** Address of the created thing. */
  open?: string | undefined;
  bad: boolean;
  /** The subject of the toast, such as the id of a card; a later toast about the same subject replaces it. */
  about: string;
}

export const toasts = signal<readonly Toast[]>([]);
/** Announced by screen readers and not visible. */
export const spoken = signal("");

const shownMilliseconds = 5_000;
const undoMilliseconds = 10_000;
const shownMax = 3;
let number = 0;

/**
 * Shows a toast that says what was done; with `undo` for ten seconds with a way to undo it (`Z`). The newest toast is
 * the lowest. A toast about the same subject replaces the earlier one, and so does the same text when there is nothing
 * to undo or open.
 */
export function say(
  text: string,
  { undo, open, bad = false, about }: { undo?: () => void; open?: string; bad?: boolean; about?: string } = {},
) {
  const id = ++number;
  const subject = about ?? (undo || open ? `${id}` : text);
  const others = toasts.value.filter((toast) => toast.about !== subject);
  toasts.value = [...others.slice(1 - shownMax), { id, text, undo, open, bad, about: subject }];
  setTimeout(() => dismiss(id), undo || open ? undoMilliseconds : shownMilliseconds);
}

export function dismiss(id: number) {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** Undoes the newest action that has an undo. */
export function undoLast() {
  const toast = toasts.value.findLast(({ undo }) => undo !== undefined);
  if (!toast) return;
  dismiss(toast.id);
  toast.undo?.();
}

export function speak(text: string) {
  // Screen readers would not announce the same text again.
  spoken.value = spoken.value === text ? `${text}\u00a0` : text;
}
