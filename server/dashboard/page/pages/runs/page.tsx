import type { RunState } from "../../../../../openapi/schema/runner.ts";
import type { RunView } from "../../../../agents/run-view.ts";
import { api, done } from "../../core/api.ts";
import { boot } from "../../core/boot.ts";
import { compact } from "../../core/format.ts";
import { place, setQuery } from "../../core/router.ts";
import { useRowKeys } from "../../core/row-keys.ts";
import { useRows } from "../../core/rows.ts";
import { useRefresh } from "../../core/use-refresh.ts";
import { MoreRows } from "../../parts/more-rows.tsx";
import { isAlive, reasonText, runStates, runTitle, runTone } from "../../parts/run-words.ts";
import { runnerCommand } from "../../parts/runner-command.ts";
import { Empty, Shown } from "../../parts/states.tsx";
import { Table } from "../../parts/table.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { Ago } from "../../parts/time.tsx";
import { Bar, crumbsOf } from "../../shell/bar.tsx";

type Chosen = "live" | "ended" | RunState;

/** The page that lists agent runs: the queue and the history. */
export default function Runs() {
  const chosen = chosenIn(place.value.query);
  const rows = useRows(`runs ${chosen}`, (cursor) => done(api.runs.get({ query: { state: chosen, cursor } })), {
    kinds: ["run", "project", "board"],
  });
  const { data } = rows;
  useRefresh(rows.reload, data?.items.some(({ state }) => state === "queued") ?? false);
  useRowKeys("run");
  const group = chosen === "ended" || (chosen !== "live" && !isAlive(chosen)) ? "ended" : "live";
  const states = runStates.filter((state) => isAlive(state) === (group === "live"));
  const sum = (alive: boolean) =>
    data && runStates.filter((state) => isAlive(state) === alive).reduce((all, state) => all + data.counts[state], 0);
  const count = (alive: boolean) => (data ? compact(sum(alive) ?? 0) : undefined);
  return (
    <>
      <Bar crumbs={crumbsOf("/runs")} />
      <main id="main" class="page">
        <div class="head">
          <div>
            <h1>Agent runs</h1>
            <p>
              A card that is assigned to the agent queues a run. A machine that executes runs takes the oldest one, in
              turn among projects.
            </p>
          </div>
        </div>
        <div class="row wrap">
          <Tabs
            label="Runs"
            look="segmented"
            chosen={group}
            onChoose={(name) => setQuery({ state: name === "live" ? undefined : name })}
            tabs={[
              { name: "live", label: "Queue", count: count(true) },
              { name: "ended", label: "History", count: count(false) },
            ]}
          />
          <label class="row">
            <span class="sr-only">State</span>
            <select
              class="field"
              value={chosen}
              onChange={({ currentTarget: { value } }) => setQuery({ state: value === "live" ? undefined : value })}
            >
              <option value={group}>All states</option>
              {states.map((state) => (
                <option key={state} value={state}>
                  {runTitle(state)}
                  {data ? ` (${compact(data.counts[state])})` : ""}
                </option>
              ))}
            </select>
          </label>
        </div>
        <Shown loaded={rows}>
          {({ items }) =>
            items.length === 0 ? (
              <None chosen={chosen} />
            ) : (
              <Table
                columns={[
                  "Card",
                  "State",
                  "Project",
                  { name: "Credits", class: "align-right" },
                  "Runner",
                  { name: "Queued", class: "align-right" },
                ]}
              >
                {items.map((run) => (
                  <Row key={run.id} run={run} />
                ))}
              </Table>
            )
          }
        </Shown>
        <MoreRows more={rows.more} busy={rows.busy} />
      </main>
    </>
  );
}

function chosenIn(query: URLSearchParams): Chosen {
  const state = query.get("state");
  return (["ended", ...runStates] as const).find((one) => one === state) ?? "live";
}

function Row({ run }: { run: RunView }) {
  const { id, state, reason, attempt, card, project, board, runner, queuedAt } = run;
  return (
    <tr>
      <td>
        <span class="two-lines">
          <a class="name strong ellipsis" href={`/runs/${id}`} dir="auto" title={card.title}>
            {card.title.trim() === "" ? "(untitled)" : card.title}
          </a>
          <small class="ellipsis">
            <a href={`/cards/${card.id}`} data-over tabIndex={-1}>
              Card
            </a>
            {run.pullRequestUrl !== null && (
              <>
                {" · "}
                <a href={run.pullRequestUrl} target="_blank" rel="noopener noreferrer" tabIndex={-1}>
                  Pull request
                </a>
              </>
            )}
            {attempt > 1 && ` · attempt ${attempt}`}
          </small>
        </span>
      </td>
      <td data-label="">
        <span class={`pill ${runTone(state)}`}>{runTitle(state)}</span>
        {reason !== null && <span class="dim small"> {reasonText(reason)}</span>}
      </td>
      <td>
        <span class="two-lines">
          <span class="ellipsis" dir="auto" title={project.name}>
            {project.name}
          </span>
          <small class="ellipsis" dir="auto" title={board.name}>
            {board.name}
          </small>
        </span>
      </td>
      <td class="align-right digits" data-label="Credits">
        {creditsOf(run)}
      </td>
      <td class="ellipsis" data-label="Runner" dir="auto" title={runner ?? undefined}>
        {runner ?? <span class="dim">none yet</span>}
      </td>
      <td class="align-right digits" data-label="Queued">
        <Ago at={queuedAt} />
      </td>
    </tr>
  );
}

function creditsOf({ state, creditsHeld, creditsUsed }: RunView): string {
  if (!isAlive(state)) return String(creditsUsed);
  if (creditsHeld > 0) return `${creditsUsed} of ${creditsHeld}`;
  return state === "queued" || state === "waiting" ? "–" : String(creditsUsed);
}

function None({ chosen }: { chosen: Chosen }) {
  if (chosen === "live") {
    return (
      <Empty command={runnerCommand(boot.value.publicUrl)}>
        The queue is empty. Assign a card to the agent, and a machine that runs this executes it.
      </Empty>
    );
  }
  if (chosen === "ended") return <Empty>No run has ended yet.</Empty>;
  return (
    <Empty
      action={
        <button type="button" class="btn" onClick={() => setQuery({ state: isAlive(chosen) ? undefined : "ended" })}>
          Show all states
        </button>
      }
    >
      No run is {runTitle(chosen).toLowerCase()}.
    </Empty>
  );
}
