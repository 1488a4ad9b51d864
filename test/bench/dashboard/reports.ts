import { storeOne } from "../ingest/big-table.ts";
import { fill } from "../ingest/fill.ts";
import { progress } from "../progress.ts";
import { measurePaging, type Paging } from "./paging.ts";
import { openPage, withScene } from "./scene.ts";
import { measureScrolling, type Scrolling } from "./scroll.ts";

export interface Reports {
  reports: number;
  scrolling: Scrolling;
  paging: Paging[];
}

/** The list of a project with many reports; meanwhile the server builds the index of their words. */
export function measureReports(binary: string, { rows, seconds }: { rows: number; seconds: number }): Promise<Reports> {
  progress(`filling a database with ${rows} reports`);
  return withScene(
    binary,
    "reports",
    async (installation) => {
      await storeOne(installation);
      fill(installation.database, rows);
    },
    async (scene) => {
      const opened = await openPage(scene, scene.reports, ".report-row a");
      progress("scrolling the list");
      const name = `list of ${rows} reports`;
      const scrolling = await measureScrolling(opened, { name, box: ".list", row: ".report-row", seconds });
      await opened.close();
      const list = `/projects/${scene.installation.projectId}/reports`;
      const pathOf = (filter: string) => (next: string | null) =>
        `${list}?q=${encodeURIComponent(filter)}${next === null ? "" : `&cursor=${encodeURIComponent(next)}`}`;
      const paging = [
        await measurePaging(scene, "the list's next reports", pathOf("")),
        await measurePaging(scene, "the same, level:error", pathOf("level:error")),
      ];
      return { reports: rows, scrolling, paging };
    },
  );
}
