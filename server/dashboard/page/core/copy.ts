/**
 * Copies a text. Returns true only when the browser reports success. Plain http has no clipboard to write to: then the
 * old copy command is tried, and at last `select` leaves the text selected for Ctrl+C.
 */
export async function copy(text: string, select?: HTMLElement | null): Promise<boolean> {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // The browser refused, or the page has no focus: the old command may still work.
  }
  if (copyBySelection(text)) return true;
  mark(select);
  return false;
}

function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.readOnly = true;
  area.className = "sr-only";
  // Added inside an open dialog, because focus cannot leave it.
  const owner = document.activeElement?.closest("[role=dialog]") ?? document.body;
  const before = document.activeElement as HTMLElement | null;
  owner.append(area);
  area.select();
  let copied = false;
  try {
    copied = document.execCommand("copy");
  } catch {
    copied = false;
  }
  area.remove();
  before?.focus();
  return copied;
}

function mark(element: HTMLElement | null | undefined) {
  if (!element) return;
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}
