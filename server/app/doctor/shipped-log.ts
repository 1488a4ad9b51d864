import { statSync } from "node:fs";
import { listMoments } from "../../backup/find-moment.ts";
import { openTarget } from "../../backup/open-target.ts";
import type { Reader } from "../../core/store.ts";
import { spoolBytes, spoolFiles, spoolFolder } from "../../store/spool-folder.ts";
import type { Holder } from "../lock.ts";
import { bad, counted, type Finding, good, look } from "./finding.ts";

interface Input {
  reader: Reader;
  /** The data directory. */
  folder: string;
  holder: Holder | undefined;
  /** Epoch milliseconds. */
  now: number;
  /** The backup target; undefined when nobody has said where. */
  to: string | undefined;
}

const behindMilliseconds = 60_000;
const largeBytes = 256 * 1024 * 1024;
const gapMilliseconds = 7 * 86_400_000;
/** A target that does not answer holds up no doctor. */
const listMilliseconds = 10_000;

/** With `backup_log`: whether the log is kept and shipped, and which moments of the last days cannot be restored. */
export async function examineShippedLog({ reader, folder, holder, now, to }: Input): Promise<Finding[]> {
  const stored = await reader.one<{ value: string }>("select value from setting where name = 'backup_log'");
  if (stored?.value !== "on") return [];
  if (to === undefined) {
    const remedy = "say where it goes: intake settings set backup_to";
    return [{ check: "backups: log", ...bad("backup_log_stopped", "backup_log is on without a place", remedy) }];
  }
  return [
    await look("backups: log", () => spooled(spoolFolder(folder), holder, now)),
    await look("backups: moments", () => moments(to, now)),
  ];
}

function spooled(folder: string, holder: Holder | undefined, now: number) {
  const files = spoolFiles(folder);
  // The last one is being written.
  const [oldest] = files.slice(0, -1);
  const since = oldest && statSync(`${folder}/${oldest.file}`, { throwIfNoEntry: false })?.mtimeMs;
  const waited = since === undefined ? 0 : now - since;
  const bytes = spoolBytes(folder);
  const size = `${Math.ceil(bytes / 2 ** 20)} MiB`;
  if (bytes > largeBytes) return bad("backup_log_large", `${size} wait to be shipped`);
  if (holder?.command !== "serve") return good("no server runs, so nothing is shipped");
  if (files.length === 0) return bad("backup_log_stopped", "no log is kept");
  if (waited > behindMilliseconds) {
    return bad(
      "backup_log_behind",
      `the oldest segment has waited for ${counted(Math.floor(waited / 60_000), "minute")}`,
    );
  }
  return good(`it is kept and shipped, ${size} wait`);
}

async function moments(to: string, now: number) {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(late.resolve, listMilliseconds, undefined);
  const listed = await Promise.race([listMoments(openTarget(to)).catch(reasonOf), late.promise]);
  clearTimeout(timer);
  if (listed === undefined || typeof listed === "string") {
    return good(`which moments can be restored is not known here: ${listed ?? "the target does not answer"}`);
  }
  const gaps = listed.gaps.filter(({ to: end }) => now - Date.parse(end) < gapMilliseconds);
  const [newest] = gaps;
  if (newest) {
    const more = gaps.length > 1 ? `, and in ${counted(gaps.length - 1, "earlier gap")}` : "";
    return bad("backup_log_gap", `nothing between ${newest.from} and ${newest.to} can be restored${more}`);
  }
  const [range] = listed.moments;
  return good(range ? `any from ${range.from} to ${range.to} can be restored` : "none can be restored so far");
}

function reasonOf(error: unknown): string {
  return (error as Error).message;
}
