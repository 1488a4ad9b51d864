import { signal } from "@preact/signals";

interface Display {
  dense: boolean;
  hidden: readonly string[];
  /** Days: columns of the category done show only cards that came there within this time; null shows all. */
  doneDays: number | null;
}

export const doneChoices = [1, 7, 30, 90] as const;
const key = "intake-display";

/** How this browser shows boards. Which cards are shown is decided by the filter. */
export const display = signal<Display>(read());

function read(): Display {
  try {
    const { dense, hidden, doneDays } = JSON.parse(localStorage.getItem(key) ?? "{}") as Partial<Display>;
    return {
      dense: dense === true,
      hidden: Array.isArray(hidden) ? hidden.map(String) : [],
      doneDays: doneChoices.find((days) => days === doneDays) ?? null,
    };
  } catch {
    return { dense: false, hidden: [], doneDays: null };
  }
}

const hiddenMax = 200;

/** Changes how boards are shown and keeps that in this browser. */
export function keepDisplay(change: Partial<Display>) {
  const next = { ...display.value, ...change };
  display.value = { ...next, hidden: next.hidden.slice(-hiddenMax) };
  localStorage.setItem(key, JSON.stringify(display.value));
}
