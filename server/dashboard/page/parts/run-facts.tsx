import type { ComponentChildren } from "preact";
import type { RunDetail } from "../../../agents/show-run.ts";
import { repositoryName, whole } from "../core/format.ts";
import { now, span } from "../core/time.ts";
import { Icon } from "./icon.tsx";
import { Note } from "./note.tsx";
import { isAlive, whyOf } from "./run-words.ts";
import { Ago } from "./time.tsx";

/** What is known of a run, and when it waits, what for. Follows the clock. */
export function RunFacts({ run, full = false }: { run: RunDetail; full?: boolean }) {
  const { state, reason, attempt, branch, queuedAt, startedAt, endedAt, heartbeatAt, deadlineAt, repository } = run;
  const alive = isAlive(state);
  const held = state === "claimed" || state === "running";
  const started = startedAt === null ? undefined : new Date(startedAt).getTime();
  const credits = creditsOf(run);
  return (
    <>
      {reason !== null && alive && <Note>{whyOf(run)}</Note>}
      {reason !== null && !alive && <p class="soft mb">{whyOf(run)}</p>}
      {attempt > 1 && alive && <p class="soft mb">The first runner vanished.</p>}
      {run.progress !== null && alive && (
        <p class="progress mono clip mb" dir="auto" title={run.progress}>
          {run.progress}
        </p>
      )}
      <dl class="facts">
        {credits !== undefined && <ChangeEvent name="Credits">{credits}</ChangeEvent>}
        {!alive || !held ? (
          <ChangeEvent name="Queued">
            <Ago at={queuedAt} words />
          </ChangeEvent>
        ) : null}
        {started !== undefined && (
          <ChangeEvent name={endedAt === null ? "Runs for" : "Took"}>
            {span((endedAt === null ? now.value : new Date(endedAt).getTime()) - started)}
          </ChangeEvent>
        )}
        {held && heartbeatAt !== null && (
          <ChangeEvent name="Heartbeat">
            <Ago at={heartbeatAt} words />
          </ChangeEvent>
        )}
        {alive && deadlineAt !== null && (
          <ChangeEvent name="Deadline" wide>
            {span(Math.max(0, new Date(deadlineAt).getTime() - now.value))} left
          </ChangeEvent>
        )}
        {full && run.runner !== null && (
          <ChangeEvent name="Runner">
            <span class="clip" dir="auto" title={run.runner}>
              {run.runner}
            </span>
          </ChangeEvent>
        )}
        {repository && (
          <ChangeEvent name="Repository">
            <span class="clip" title={repository.url}>
              {repositoryName(repository.url)}
            </span>
          </ChangeEvent>
        )}
        <ChangeEvent name="Branch" wide={!full}>
          <span class="mono clip" title={branch}>
            {branch}
          </span>
        </ChangeEvent>
        {run.pullRequestUrl !== null && (
          <ChangeEvent name="Pull request">
            <a class="row clip" href={run.pullRequestUrl} target="_blank" rel="noopener noreferrer">
              <Icon name="branch" small />
              {pullRequestName(run.pullRequestUrl)}
            </a>
          </ChangeEvent>
        )}
      </dl>
    </>
  );
}

function ChangeEvent({ name, wide = false, children }: { name: string; wide?: boolean; children: ComponentChildren }) {
  return (
    <div class={wide ? "only-d fit" : "fit"}>
      <dt>{name}</dt>
      <dd class="num clip">{children}</dd>
    </div>
  );
}

/** "7 of 10 held", and once it has ended what it used. */
function creditsOf({ state, creditsHeld, creditsUsed, credits }: RunDetail): string | undefined {
  if (!isAlive(state)) return `${whole(creditsUsed)} used`;
  if (creditsHeld > 0) return `${whole(creditsUsed)} of ${whole(creditsHeld)} held`;
  if (state === "claimed" || state === "running") return `${whole(creditsUsed)} used`;
  return credits === null ? undefined : `${whole(credits.needed)} to be held`;
}

/** "#42" where the address ends with a number. */
function pullRequestName(url: string): string {
  const number = /\/(\d+)\/?$/.exec(url)?.[1];
  return number === undefined ? repositoryName(url) : `#${number}`;
}
