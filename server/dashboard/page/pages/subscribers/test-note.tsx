import { Icon } from "../../parts/icon.tsx";
import { Note } from "../../parts/note.tsx";
import { faultWords } from "./subscriber.ts";

export interface TestResult {
  accepted: boolean;
  status?: number;
  error?: string;
  message?: string;
  ms?: number;
  answer?: string;
}

/** The result of a test message, shown beside the button that sent it. */
export function TestNote({ tested, onClose }: { tested: TestResult | "waiting" | undefined; onClose: () => void }) {
  if (tested === undefined) return null;
  const close = (
    <button type="button" class="btn ghost square right" aria-label="Close the result" onClick={onClose}>
      <Icon name="x" />
    </button>
  );
  return (
    <div class="note-row" role="status">
      {tested === "waiting" ? (
        <Note tone="info">Sending webhook.test and waiting for the answer, 15 s at most…</Note>
      ) : (
        <Note tone={tested.accepted ? "ok" : "err"} action={close}>
          <b class="strong">
            {tested.accepted ? "The test was accepted" : "The test was not accepted"}
            {tested.status !== undefined && `: ${tested.status}`}
            {tested.ms !== undefined && `, ${tested.ms} ms`}.
          </b>{" "}
          {!tested.accepted && `${tested.message ?? faultWords(tested.error ?? null)}. `}
          {tested.answer ? (
            <code class="answer" dir="auto">
              {tested.answer}
            </code>
          ) : null}
        </Note>
      )}
    </div>
  );
}
