import { api, done } from "../../core/api.ts";
import { useLoad } from "../../core/load.ts";
import type { PageProps } from "../../core/page-props.ts";
import { place, setQuery } from "../../core/router.ts";
import { countedMilliseconds } from "../../parts/chart/axis.ts";
import { Note } from "../../parts/note.tsx";
import { Gone, Shown } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { Bar, projectName } from "../../shell/bar.tsx";
import { spanLabel } from "../reports/range.ts";
import { Deliveries } from "./deliveries.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { ProjectActs } from "./project-acts.tsx";
import { Refusals } from "./refusals.tsx";
import { Repeats, Reports } from "./reports.tsx";
import { Runs } from "./runs.tsx";
import { Storage } from "./storage.tsx";
import { Tickets } from "./tickets.tsx";

const spans = ["24h", "7d", "30d"] as const;
export type Span = (typeof spans)[number];

/** The overview of a project: what was received and refused, what was delivered, and how much storage is left. */
export default function Overview({ params }: PageProps) {
  const id = params["project"] ?? "";
  const span = spans.find((one) => one === place.value.query.get("range")) ?? "24h";
  const project = useLoad(id, () => done(api.projects({ id }).get()), {
    kinds: ["project", "board"],
    about: (change) => change.id === id || change.in === id,
  });
  const overview = useLoad(`${id} ${span}`, () => done(api.projects({ id }).overview.get({ query: { range: span } })), {
    kinds: ["report", "card", "run", "delivery"],
    about: (change) => change.kind !== "report" || change.in === id,
    late: countedMilliseconds,
  });
  const name = project.data?.name ?? projectName(id);
  return (
    <>
      <Bar switcher crumbs={[name, "Overview"]}>
        <Tabs<Span>
          label="Time range"
          look="segmented"
          tabs={spans.map((one) => ({ name: one, label: spanLabel(one) }))}
          chosen={span}
          onChoose={(range) => setQuery({ range: range === "24h" ? undefined : range })}
        />
        {project.data && <ProjectActs project={project.data} onChanged={project.reload} />}
      </Bar>
      <main id="main" class="page">
        <h1 class="sr-only">Overview of {name}</h1>
        {project.data?.archivedAt != null && (
          <Note tone="info">This project is archived: nothing more comes in, and what is here can be read.</Note>
        )}
        {project.failed?.status === 404 ? (
          <Gone />
        ) : (
          <Shown loaded={overview} rows={6} rowHeight={90}>
            {(data) => {
              const part = { data, projectId: id, span };
              return (
                <>
                  {project.data && <FirstSteps projectId={id} overview={data} cards={cardsOf(project.data.boards)} />}
                  <div class="figures">
                    <Reports {...part} />
                    <Repeats {...part} />
                    <Refusals {...part} />
                    <Deliveries {...part} />
                    <Tickets {...part} />
                    <Runs {...part} />
                    <Storage {...part} />
                  </div>
                </>
              );
            }}
          </Shown>
        )}
      </main>
    </>
  );
}

function cardsOf(boards: readonly { cards: number }[]): number {
  return boards.reduce((sum, { cards }) => sum + cards, 0);
}
