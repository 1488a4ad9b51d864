import { useState } from "preact/hooks";
import { failureOf } from "../../core/load.ts";
import { newOp } from "../../core/op.ts";
import { say } from "../../core/say.ts";
import { createCard } from "../reports/calls.ts";
import type { ReportDetail } from "../reports/types.ts";

/** One step: the card has title, link and tags of the report, and lies in the first column of the project's board. */
export function useCard(report: ReportDetail, onCreated: () => void): { busy: boolean; create: () => Promise<void> } {
  const [busy, setBusy] = useState(false);
  async function create() {
    if (busy) return;
    setBusy(true);
    try {
      await createCard([report.id], newOp());
      say("Card created");
      onCreated();
    } catch (error) {
      say(failureOf(error).message, { bad: true });
    } finally {
      setBusy(false);
    }
  }
  return { busy, create };
}
