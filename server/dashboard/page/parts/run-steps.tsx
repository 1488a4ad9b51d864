import type { RunDetail } from "../../../agents/show-run.ts";
import { runTitle } from "./run-words.ts";

interface Step {
  words: string;
  look: "done" | "now" | "bad" | "";
}

type Stepping = Pick<RunDetail, "state" | "claimedAt" | "startedAt" | "pullRequestUrl">;

/** The steps of a run from queue to pull request, with the current one marked. */
export function RunSteps({ run }: { run: Stepping }) {
  return (
    <ol class="steps">
      {stepsOf(run).map(({ words, look }) => (
        <li key={words} class={look || undefined} aria-current={look === "now" || look === "bad" ? "step" : undefined}>
          <span class="step-mark" aria-hidden="true" />
          {words}
        </li>
      ))}
    </ol>
  );
}

function stepsOf({ state, claimedAt, startedAt, pullRequestUrl }: Stepping): Step[] {
  const first: Step = { words: state === "waiting" ? "Waiting" : "Queued", look: "done" };
  switch (state) {
    case "succeeded":
    case "failed":
    case "cancelled":
    case "expired": {
      const end: Step[] =
        pullRequestUrl === null
          ? [{ words: runTitle(state), look: state === "succeeded" ? "done" : "bad" }]
          : state === "succeeded"
            ? [{ words: "Pull request", look: "done" }]
            : [
                { words: "Pull request", look: "done" },
                { words: runTitle(state), look: "bad" },
              ];
      return [
        { ...first, words: "Queued" },
        ...(claimedAt === null ? [] : [{ words: "Claimed", look: "done" } as const]),
        ...(startedAt === null ? [] : [{ words: "Running", look: "done" } as const]),
        ...end,
      ];
    }
    default: {
      const at = state === "running" ? 2 : state === "claimed" ? 1 : 0;
      const words = [first.words, "Claimed", "Running", "Pull request"];
      return words.map((words, i) => ({ words, look: i < at ? "done" : i === at ? "now" : "" }));
    }
  }
}
