import type { RunDetail } from "../../../../agents/show-run.ts";
import { RunActs } from "../../parts/run-acts.tsx";
import { RunFacts } from "../../parts/run-facts.tsx";
import { RunSteps } from "../../parts/run-steps.tsx";
import { runTitle, runTone } from "../../parts/run-words.ts";
import { Who } from "../../parts/who.tsx";
import { Markdown } from "./markdown.tsx";

/** The agent run of a card: its progress and, while it waits, the reason. */
export function RunBox({ run, still, onDone }: { run: RunDetail; still: boolean; onDone: () => void }) {
  return (
    <section class="box agent" aria-label="Agent run">
      <header>
        <Who kind="agent" name="Agent" />
        <h2>Agent run</h2>
        <span class={`pill ${runTone(run.state)}`}>{runTitle(run.state)}</span>
        <span class="dim digits hide-narrow">
          attempt {run.attempt} of {run.attempts}
        </span>
        <span class="right row">
          <a class="btn ghost" href={`/runs/${run.id}`}>
            Log
          </a>
          {!still && <RunActs run={run} onDone={onDone} />}
        </span>
      </header>
      <div class="box-body">
        <RunSteps run={run} />
        <RunFacts run={run} />
        {run.summary !== null && (
          <div class="ruled">
            <Markdown text={run.summary} below={2} />
          </div>
        )}
      </div>
    </section>
  );
}
