const here = "http://here.invalid";

/** A path on this server, or that of the start page: the value comes from an address and may point anywhere. */
export function safePath(text: string | null | undefined): string {
  // Read as browsers do: they drop tabs and line ends, and treat a backslash as a slash.
  return text?.startsWith("/") && URL.parse(text, here)?.origin === here ? text : "/";
}
