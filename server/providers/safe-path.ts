import { limits } from "../../openapi/schema/limits.ts";

const here = "http://here.invalid";
const pathMax = Math.floor(limits.urlMax / 2);

/** A path on this server, or that of the start page: the value comes from an address and may point anywhere. */
export function safePath(text: string | undefined): string {
  if (text === undefined || text.length > pathMax || !text.startsWith("/")) return "/";
  // Read as browsers do: they drop tabs and line ends, and treat a backslash as a slash.
  const url = URL.parse(text, here);
  if (url?.origin !== here) return "/";
  const path = url.pathname + url.search + url.hash;
  return path.startsWith("//") ? "/" : path;
}
