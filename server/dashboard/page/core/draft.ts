/** Keeps typed and unsaved text across reloads and sign-ins of this window; other windows do not see it. */
const prefix = "intake-draft ";

export function draftOf(name: string): string | undefined {
  return sessionStorage.getItem(prefix + name) ?? undefined;
}

export function keepDraft(name: string, text: string | undefined) {
  try {
    if (text === undefined) sessionStorage.removeItem(prefix + name);
    else sessionStorage.setItem(prefix + name, text);
  } catch {
    // The browser's storage is full: the text is still on the page.
  }
}
