import type { Completion } from "../../../client/src/runner.ts";
import type { Exit } from "./execute-command.ts";
import type { StopReason } from "./lease-keeper.ts";
import { type Result, ResultUnusable, readResult } from "./result-file.ts";
import type { RunFolder } from "./run-folder.ts";

/** How a run ended: as its command wrote to `result.json`, and where that says nothing by the command's exit status. */
export function completionOf(exit: Exit, folder: RunFolder, stopped: StopReason | undefined): Completion {
  const cancelled = stopped === "cancelled";
  let result: Result;
  try {
    result = readResult(folder.result);
  } catch (error) {
    if (!(error instanceof ResultUnusable)) throw error;
    const summary = `result.json ${error.message}.`;
    return { outcome: cancelled ? "cancelled" : "failed", summary, creditsUsed: 0 };
  }
  const outcome = cancelled ? "cancelled" : (result.outcome ?? (exit.code === 0 ? "succeeded" : "failed"));
  const reason = outcome === "failed" ? { summary: `The command ended with ${endOf(exit)}.` } : {};
  return { ...reason, ...result, outcome, creditsUsed: result.creditsUsed ?? 0 };
}

/** Credits from `result.json` while the command is running. Empty while the file is missing or half written. */
export function creditsSoFar(folder: RunFolder | undefined): { creditsUsed?: number } {
  try {
    const { creditsUsed } = folder ? readResult(folder.result) : {};
    return creditsUsed === undefined ? {} : { creditsUsed };
  } catch {
    return {};
  }
}

function endOf({ code, signal }: Exit): string {
  return signal === null ? `status ${code}` : String(signal);
}
