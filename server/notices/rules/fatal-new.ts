import type { Row } from "../../core/store.ts";
import type { Finding, LookTools, Rule } from "../rule.ts";

const hourMilliseconds = 3_600_000;
/** Notices of their own that one project's titles get in an hour; further ones are counted in one notice. */
const perHour = 10;
/** Titles that one look takes. */
const takenMax = 200;
const moreOf = (projectId: string) => `more ${projectId}`;

interface TitleRow extends Row {
  project_id: string;
  title: string;
  event_id: string;
  at: number;
}

export const fatalNew: Rule = {
  name: "fatal_new",
  title: "A fatal report with a new title",
  level: "warning",
  about:
    "A report with the level fatal has a title that no fatal report of its project had before. Of one project 10 an hour get a notice of their own; further ones are counted in one.",
  remedy: "Look at the report. Dismiss the notice when you have.",
  momentary: true,
  async look(tools) {
    const { store } = tools;
    const [titles, counted] = await Promise.all([
      store.all<TitleRow>(
        `select project_id, title, event_id, at from fatal_title where noticed = 0 order by at, project_id, title
         limit ${takenMax}`,
      ),
      store.all<{ project_id: string; count: number }>("select project_id, count from fatal_title_more"),
    ]);
    const countedOf = new Map(counted.map(({ project_id, count }) => [project_id, count]));
    const titlesOf = Map.groupBy(titles, (row) => row.project_id);
    const findings: Finding[] = [];
    for (const projectId of new Set([...titlesOf.keys(), ...countedOf.keys()])) {
      const rows = titlesOf.get(projectId) ?? [];
      const room = Math.max(0, perHour - (await raisedWithinHour(tools, projectId)));
      findings.push(...rows.slice(0, room).map(ofTitle));
      const more = { rows: rows.slice(room), counted: countedOf.get(projectId) ?? 0 };
      if (more.rows.length + more.counted > 0) findings.push(ofMore(tools, projectId, more));
    }
    return findings;
  },
};

const takeTitle = "update fatal_title set noticed = 1 where project_id = $1 and title = $2";

function ofTitle({ project_id: projectId, title, event_id: id, at }: TitleRow): Finding {
  return {
    ...{ subject: id, projectId, name: title, path: `/reports/${id}`, since: at },
    text: "No fatal report had this title before.",
    noticedStep: (tx) => tx.run(takeTitle, [projectId, title]),
  };
}

function ofMore(
  { open }: LookTools,
  projectId: string,
  { rows, counted }: { rows: readonly TitleRow[]; counted: number },
): Finding {
  const count = (open(moreOf(projectId))?.count ?? 0) + rows.length + counted;
  return {
    ...{ subject: moreOf(projectId), projectId, name: null, count, path: `/p/${projectId}/reports` },
    text: `More new titles of fatal reports than get a notice of their own: ${count}.`,
    *noticedStep(tx) {
      for (const { title } of rows) yield* tx.run(takeTitle, [projectId, title]);
      if (counted === 0) return;
      yield* tx.run("update fatal_title_more set count = count - $2 where project_id = $1", [projectId, counted]);
      yield* tx.run("delete from fatal_title_more where project_id = $1 and count <= 0", [projectId]);
    },
  };
}

async function raisedWithinHour({ store, now }: LookTools, projectId: string): Promise<number> {
  const row = await store.one<{ count: number }>(
    `select cast(count(*) as integer) as count from notice
     where rule = 'fatal_new' and project_id = $1 and name is not null and raised_at > $2`,
    [projectId, now - hourMilliseconds],
  );
  return row?.count ?? 0;
}
