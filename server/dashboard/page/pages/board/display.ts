import { signal } from "@preact/signals";

interface Display {
  dense: boolean;
  hidden: readonly string[];
  /** Of columns that stand for done only what was moved within so many days; all when null. */
  doneDays: number | null;
}

export const doneChoices = [1, 7, 30, 90] as const;
const key = "intake-display";

/** How this browser shows boards; which cards there are is the filter's. */
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

/** Kept by this browser. */
export function keepDisplay(change: Partial<Display>) {
  const next = { ...display.value, ...change };
  display.value = { ...next, hidden: next.hidden.slice(-hiddenMax) };
  localStorage.setItem(key, JSON.stringify(display.value));
}
