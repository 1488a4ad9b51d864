import { bytes } from "../../core/format.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { laidOutJson } from "./json-layout.ts";
import { faultWords } from "./subscriber.ts";

interface Answered {
  status: number | null;
  error: string | null;
  /** Says why nothing was sent. */
  detail: string | null;
  headers: Record<string, string> | null;
  answer: string | null;
  answerCut: boolean;
}

/** The stored part of an answer, always shown as text; JSON has one member per line. */
export function Answer({ answered: { status, error, detail, headers, answer, answerCut } }: { answered: Answered }) {
  const body = answer === null ? null : (laidOutJson(answer) ?? answer);
  const lines = headers === null ? [] : Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <div class="answered">
      <h3>
        Response
        {answerCut && answer !== null && <span class="dim">first {bytes(new Blob([answer]).size)}</span>}
        {answer !== null && <CopyButton text={answer} label="Copy body" class="btn ghost tiny right" />}
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre class="code-block" tabIndex={0}>
        <span class={status === null ? "text-err" : "code-comment"}>
          {status === null ? `No answer: ${detail ?? faultWords(error)}` : `HTTP ${status}`}
        </span>
        {lines.length > 0 && <span class="code-name">{`\n${lines.join("\n")}`}</span>}
        {body !== null && `\n\n${body}`}
        {status !== null && body === null && <span class="code-comment">{"\n\n(no body)"}</span>}
      </pre>
    </div>
  );
}
