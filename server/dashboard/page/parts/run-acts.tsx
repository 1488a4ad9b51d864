import { useState } from "preact/hooks";
import type { RunDetail } from "../../../agents/show-run.ts";
import { api, done } from "../core/api.ts";
import { failureOf } from "../core/load.ts";
import { say } from "../core/say.ts";
import { Confirm } from "./confirm.tsx";

/** The buttons that cancel and retry a run. `onDone` is given the cancelled or the new run. */
export function RunActs({ run, onDone }: { run: RunDetail; onDone: (run: RunDetail) => void }) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const call = api.runs({ id: run.id });

  async function retry() {
    setBusy(true);
    try {
      onDone(await done(call.retry.post({})));
    } catch (error) {
      say(failureOf(error).message, { bad: true });
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      {run.mayCancel && (
        <button type="button" class="btn danger" onClick={() => setAsking(true)}>
          Cancel run
        </button>
      )}
      {run.mayRetry && (
        <button type="button" class="btn" disabled={busy} onClick={() => void retry()}>
          Retry
        </button>
      )}
      {asking && (
        <Confirm
          title="Cancel this run?"
          verb="Cancel run"
          keep="Keep it"
          onConfirm={async () => onDone(await done(call.cancel.post({})))}
          onClose={() => setAsking(false)}
        >
          <p>
            {run.runner !== null && (run.state === "claimed" || run.state === "running")
              ? "The machine that executes it stops within half a minute. What it used by then is taken."
              : "It leaves the queue."}{" "}
            The card stays with the agent.
          </p>
        </Confirm>
      )}
    </>
  );
}
