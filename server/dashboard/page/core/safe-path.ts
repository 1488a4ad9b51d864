const here = "http://here.invalid";

/** A path of this installation, or the start page: what comes from an address may point anywhere. */
export function safePath(text: string | null | undefined): string {
  // As the browser will read it: it drops tabs and line ends, and takes a backslash for a slash.
  return text?.startsWith("/") && URL.parse(text, here)?.origin === here ? text : "/";
}
