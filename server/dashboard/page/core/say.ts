import { signal } from "@preact/signals";

interface Toast {
  id: number;
  text: string;
  /** Takes back what was done, as long as the toast is shown. */
  undo?: (() => void) | undefined;
  /** Address of what was made. */
  open?: string | undefined;
  bad: boolean;
  /** What the toast tells of, such as the id of a card; a later one about the same takes its place. */
  about: string;
}

export const toasts = signal<readonly Toast[]>([]);
/** Read out by screen readers, and seen by nobody. */
export const spoken = signal("");

const shownMilliseconds = 5_000;
const undoMilliseconds = 10_000;
const shownMax = 3;
let number = 0;

/**
 * Tells what was done; with `undo` for ten seconds also how to take it back (`Z`). The newest stands lowest. One about
 * the same thing takes the place of the one before, and so does the same text where there is nothing to undo or open.
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

/** Takes back the newest thing that has an undo. */
export function undoLast() {
  const toast = toasts.value.findLast(({ undo }) => undo !== undefined);
  if (!toast) return;
  dismiss(toast.id);
  toast.undo?.();
}

export function speak(text: string) {
  // The same text again would not be read out.
  spoken.value = spoken.value === text ? `${text}\u00a0` : text;
}
