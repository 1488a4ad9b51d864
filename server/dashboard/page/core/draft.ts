/** Keeps text that was typed and not saved, across reloads of this window and sign-ins; other windows do not see it. */
const prefix = "intake-draft ";

export function draftOf(name: string): string | undefined {
  return sessionStorage.getItem(prefix + name) ?? undefined;
}

export function keepDraft(name: string, text: string | undefined) {
  try {
    if (text === undefined) sessionStorage.removeItem(prefix + name);
    else sessionStorage.setItem(prefix + name, text);
  } catch {
    // The browser's room for it is full: the text is still on the page.
  }
}
