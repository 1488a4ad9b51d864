import { signal } from "@preact/signals";

export type Overlay = "palette" | "help" | "token" | "project" | "invite";

/** The dialog that is open over the page, of those that every page can open. */
export const overlay = signal<Overlay | undefined>(undefined);

export function openOverlay(name: Overlay) {
  overlay.value = name;
}

export function closeOverlay() {
  overlay.value = undefined;
}
