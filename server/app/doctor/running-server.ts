import { readdirSync, readFileSync } from "node:fs";
import { version } from "../../../package.json";
import type { Holder } from "../lock.ts";
import { bad, good } from "./finding.ts";

const fewFiles = 4_096;
const crowded = 0.8;

/** How many files the server may open, as the system tells of the process; this process stands for one that does not run. */
export function openFiles(holder: Holder | undefined) {
  const proc = `/proc/${holder?.pid ?? "self"}`;
  let max: number;
  let open = 0;
  try {
    const limit = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync(`${proc}/limits`, "utf8"))?.[1];
    max = limit === "unlimited" ? Number.POSITIVE_INFINITY : Number(limit);
    if (holder) open = readdirSync(`${proc}/fd`).length;
  } catch (error) {
    return good(`this system does not tell it (${(error as { code?: string }).code ?? "unknown"})`);
  }
  if (Number.isNaN(max)) return good("this system does not tell it");
  const text = holder ? `the server has ${open} of ${max} files open` : `a server started here may open ${max} files`;
  if (open > max * crowded) return bad("open_files_used", text);
  return max < fewFiles ? bad("open_files_low", text) : good(text);
}

export function versions(holder: Holder | undefined, engine: string) {
  const own = `intake ${version}, Bun ${Bun.version}, ${engine}, ${process.platform} ${process.arch}`;
  if (!holder?.version || holder.version === version) return good(own);
  return bad("server_version", `${own}; the server that runs is ${holder.version}`);
}
