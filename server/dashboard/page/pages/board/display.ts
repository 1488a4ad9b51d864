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

/**
 * Tells the server what a board depends on besides its address, for the board that the next document carries: minutes
 * from UTC to the reader's time, and the days for which done cards are shown.
 */
export function keepView() {
  const view = `${-new Date().getTimezoneOffset()}.${display.peek().doneDays ?? ""}`;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on plain http
  document.cookie = `intake_view=${view}; Path=/; Max-Age=${yearSeconds}; SameSite=Lax`;
}

const yearSeconds = 31_536_000;
const hiddenMax = 200;

/** Changes how boards are shown and keeps that in this browser. */
export function keepDisplay(change: Partial<Display>) {
  const next = { ...display.value, ...change };
  display.value = { ...next, hidden: next.hidden.slice(-hiddenMax) };
  localStorage.setItem(key, JSON.stringify(display.value));
}
