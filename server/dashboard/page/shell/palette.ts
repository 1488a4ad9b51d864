import { signal } from "@preact/signals";

/** Which of the two lies over the page. */
export const overlay = signal<"palette" | "help" | undefined>(undefined);

export function openPalette() {
  overlay.value = "palette";
}

export function closeOverlay() {
  overlay.value = undefined;
}
