import { api, done } from "../../core/api.ts";
import { copy } from "../../core/copy.ts";
import { useShortcuts } from "../../core/keys.ts";
import { useLoad } from "../../core/load.ts";
import type { PageProps } from "../../core/page-props.ts";
import { go } from "../../core/router.ts";
import { say } from "../../core/say.ts";
import { useRefresh } from "../../core/use-refresh.ts";
import { RunActs } from "../../parts/run-acts.tsx";
import { RunFacts } from "../../parts/run-facts.tsx";
import { RunSteps } from "../../parts/run-steps.tsx";
import { runTitle, runTone } from "../../parts/run-words.ts";
import { Shown } from "../../parts/states.tsx";
import { Bar, crumbsOf } from "../../shell/bar.tsx";
import { Markdown } from "../card/markdown.tsx";
import { Log } from "./log.tsx";

/** The page of one agent run: state, credits, summary and log. */
export default function Run({ params }: PageProps) {
  const id = (params["run"] ?? "").toLowerCase();
  const loaded = useLoad(`run ${id}`, () => done(api.runs({ id }).get()), {
    kinds: ["run", "card", "repository", "credits"],
    about: (change) => change.kind !== "run" || change.id === id,
  });
  const { data } = loaded;
  // Whether a runner is online changes without an event, so a queued run is loaded again from time to time.
  useRefresh(loaded.reload, data?.state === "queued");
  useShortcuts([
    ...(data ? [{ keys: "o", does: "Open the card", run: () => go(`/cards/${data.card.id}`, { over: true }) }] : []),
    { keys: "y", does: "Copy link", run: () => copied(location.href, "Link") },
    { keys: "Y", does: "Copy id", run: () => copied(id, "Id") },
  ]);
  return (
    <>
      <Bar crumbs={crumbsOf("/runs/:run", data?.card.title.trim() || undefined)} />
      <main id="main" class="page run-page">
        {!data && <h1 class="sr-only">Run</h1>}
        <Shown loaded={loaded}>
          {(run) => (
            <>
              <div class="head">
                <div class="shrinkable">
                  <h1 class="ellipsis" dir="auto" title={run.card.title}>
                    {run.card.title.trim() === "" ? "(untitled)" : run.card.title}
                  </h1>
                  <p class="row wrap">
                    <span class={`pill ${runTone(run.state)}`}>{runTitle(run.state)}</span>
                    <span class="digits">
                      attempt {run.attempt} of {run.attempts}
                    </span>
                    <span class="ellipsis" dir="auto">
                      {run.project.name} / {run.board.name}
                    </span>
                  </p>
                </div>
                <span class="right row">
                  <a class="btn" href={`/cards/${run.card.id}`} data-over>
                    Open card <span class="kbd hide-narrow">O</span>
                  </a>
                  <RunActs
                    run={run}
                    onDone={(next) => (next.id === run.id ? loaded.set(next) : go(`/runs/${next.id}`))}
                  />
                </span>
              </div>
              <section class="box agent" aria-label="State">
                <div class="box-body">
                  <RunSteps run={run} />
                  <RunFacts run={run} full />
                </div>
              </section>
              {run.summary !== null && (
                <section class="section" aria-label="Summary">
                  <h2>Summary</h2>
                  <Markdown text={run.summary} below={2} />
                </section>
              )}
              <Log key={run.id} run={run} />
            </>
          )}
        </Shown>
      </main>
    </>
  );
}

function copied(text: string, what: string) {
  void copy(text).then((worked) => say(worked ? `${what} copied` : text));
}
