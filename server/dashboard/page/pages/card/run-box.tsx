import type { RunEntry } from "../../../../agents/list-runs.ts";
import { api, done } from "../../core/api.ts";
import { now, span } from "../../core/time.ts";
import { Note } from "../../parts/note.tsx";
import { Ago } from "../../parts/time.tsx";
import { Who } from "../../parts/who.tsx";
import { repositoryName } from "./assign-agent.tsx";
import { isAlive, reasonSentence, runTitle } from "./run-words.ts";
import type { CardCalls } from "./use-card.ts";

const steps = [
  { state: "queued", words: "Queued" },
  { state: "claimed", words: "Claimed" },
  { state: "running", words: "Running" },
  { state: "succeeded", words: "Pull request" },
];

const tones: Record<string, string> = {
  succeeded: "ok",
  failed: "err",
  expired: "err",
  cancelled: "",
  waiting: "warn",
};

/** How far the agent is, and when it waits, what for. */
export function RunBox({
  card,
  run,
  mayStart,
  still,
}: {
  card: CardCalls;
  run: RunEntry;
  mayStart: boolean;
  still: boolean;
}) {
  const { state, reason, attempt, branch, queuedAt, startedAt, endedAt, repository } = run;
  const alive = isAlive(state);
  const call = api.runs({ id: run.id });
  const reached = steps.findIndex((step) => step.state === (state === "waiting" ? "queued" : state));
  const started = startedAt === null ? undefined : new Date(startedAt).getTime();
  return (
    <section class="box agent" aria-label="Agent run">
      <header>
        <Who kind="agent" name="Agent" />
        <h2>Agent run</h2>
        <span class={`pill ${tones[state] ?? "agent"}`}>{runTitle(state)}</span>
        {attempt > 1 && <span class="dim num only-d">attempt {attempt}: the first runner vanished</span>}
        <span class="right row">
          <a class="btn ghost" href={`/runs/${run.id}`}>
            Log
          </a>
          {mayStart && alive && (
            <button type="button" class="btn danger" onClick={() => void card.act(() => done(call.cancel.post({})))}>
              Cancel run
            </button>
          )}
          {mayStart && !alive && !still && (
            <button type="button" class="btn" onClick={() => void card.act(() => done(call.retry.post({})))}>
              Retry
            </button>
          )}
        </span>
      </header>
      <div class="in">
        {reached >= 0 && (
          <ol class="steps">
            {steps.map(({ state: step, words }, i) => (
              <li
                key={step}
                class={i < reached || state === "succeeded" ? "done" : i === reached ? "now" : undefined}
                aria-current={i === reached ? "step" : undefined}
              >
                <span class="b" aria-hidden="true" />
                {words}
              </li>
            ))}
          </ol>
        )}
        {reason !== null && alive && <Note>{reasonSentence(reason)}</Note>}
        {reason !== null && !alive && <p class="soft">{reasonSentence(reason)}</p>}
        <dl class="facts">
          <div>
            <dt>Queued</dt>
            <dd>
              <Ago at={queuedAt} />
            </dd>
          </div>
          {started !== undefined && (
            <div>
              <dt>{endedAt === null ? "Runs for" : "Took"}</dt>
              <dd class="num">{span((endedAt === null ? now.value : new Date(endedAt).getTime()) - started)}</dd>
            </div>
          )}
          {repository && (
            <div class="fit">
              <dt>Repository</dt>
              <dd class="clip">{repositoryName(repository.url)}</dd>
            </div>
          )}
          <div class="only-d fit">
            <dt>Branch</dt>
            <dd class="mono clip" title={branch}>
              {branch}
            </dd>
          </div>
        </dl>
      </div>
    </section>
  );
}
