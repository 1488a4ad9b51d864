import type { ComponentChildren } from "preact";
import type { RunDetail } from "../../../agents/show-run.ts";
import { repositoryName, whole } from "../core/format.ts";
import { now, span } from "../core/time.ts";
import { Icon } from "./icon.tsx";
import { Note } from "./note.tsx";
import { isAlive, whyOf } from "./run-words.ts";
import { Ago } from "./time.tsx";

/** The facts of a run as a list of terms; for a run that waits, also the reason. Durations follow the clock. */
export function RunFacts({ run, full = false }: { run: RunDetail; full?: boolean }) {
  const { state, reason, attempt, branch, queuedAt, startedAt, endedAt, heartbeatAt, deadlineAt, repository } = run;
  const alive = isAlive(state);
  const held = state === "claimed" || state === "running";
  const started = startedAt === null ? undefined : new Date(startedAt).getTime();
  const credits = creditsOf(run);
  return (
    <>
      {reason !== null && alive && <Note>{whyOf(run)}</Note>}
      {reason !== null && !alive && <p class="soft space-below">{whyOf(run)}</p>}
      {attempt > 1 && alive && <p class="soft space-below">The first runner vanished.</p>}
      {run.progress !== null && alive && (
        <p class="mono ellipsis space-below" dir="auto" title={run.progress}>
          {run.progress}
        </p>
      )}
      <dl class="facts">
        {credits !== undefined && <Fact name="Credits">{credits}</Fact>}
        {!alive || !held ? (
          <Fact name="Queued">
            <Ago at={queuedAt} words />
          </Fact>
        ) : null}
        {started !== undefined && (
          <Fact name={endedAt === null ? "Runs for" : "Took"}>
            {span((endedAt === null ? now.value : new Date(endedAt).getTime()) - started)}
          </Fact>
        )}
        {held && heartbeatAt !== null && (
          <Fact name="Heartbeat">
            <Ago at={heartbeatAt} words />
          </Fact>
        )}
        {alive && deadlineAt !== null && (
          <Fact name="Deadline" wide>
            {span(Math.max(0, new Date(deadlineAt).getTime() - now.value))} left
          </Fact>
        )}
        {full && run.runner !== null && (
          <Fact name="Runner">
            <span class="ellipsis" dir="auto" title={run.runner}>
              {run.runner}
            </span>
          </Fact>
        )}
        {repository && (
          <Fact name="Repository">
            <span class="ellipsis" title={repository.url}>
              {repositoryName(repository.url)}
            </span>
          </Fact>
        )}
        <Fact name="Branch" wide={!full}>
          <span class="mono ellipsis" title={branch}>
            {branch}
          </span>
        </Fact>
        {run.pullRequestUrl !== null && (
          <Fact name="Pull request">
            <a class="row ellipsis" href={run.pullRequestUrl} target="_blank" rel="noopener noreferrer">
              <Icon name="branch" small />
              {pullRequestName(run.pullRequestUrl)}
            </a>
          </Fact>
        )}
      </dl>
    </>
  );
}

function Fact({ name, wide = false, children }: { name: string; wide?: boolean; children: ComponentChildren }) {
  return (
    <div class={wide ? "hide-narrow shrinkable" : "shrinkable"}>
      <dt>{name}</dt>
      <dd class="digits ellipsis">{children}</dd>
    </div>
  );
}

/** Credits in words: "7 of 10 held" for a live run, "7 used" for one that has ended. */
function creditsOf({ state, creditsHeld, creditsUsed, credits }: RunDetail): string | undefined {
  if (!isAlive(state)) return `${whole(creditsUsed)} used`;
  if (creditsHeld > 0) return `${whole(creditsUsed)} of ${whole(creditsHeld)} held`;
  if (state === "claimed" || state === "running") return `${whole(creditsUsed)} used`;
  return credits === null ? undefined : `${whole(credits.needed)} to be held`;
}

/** "#42" when the address ends with a number. */
function pullRequestName(url: string): string {
  const number = /\/(\d+)\/?$/.exec(url)?.[1];
  return number === undefined ? repositoryName(url) : `#${number}`;
}
