import { hostname } from "node:os";
import type { Here } from "./rule.ts";

/** The data directory stands in the name as a digest: the name is told to subscribers, and stays over restarts. */
export function hereIn(folder: string): Here {
  const machine = hostname();
  return { machine, process: `${machine} ${Bun.SHA256.hash(folder, "hex").slice(0, 8)}` };
}
