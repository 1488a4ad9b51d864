import { signal } from "@preact/signals";

export type Overlay = "palette" | "help" | "token" | "project" | "invite";

/** What lies over the page, whichever page it is. */
export const overlay = signal<Overlay | undefined>(undefined);

export function openOverlay(name: Overlay) {
  overlay.value = name;
}

export function closeOverlay() {
  overlay.value = undefined;
}
