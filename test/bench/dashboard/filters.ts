import { storeOne } from "../ingest/big-table.ts";
import { progress } from "../progress.ts";
import { quantile } from "../quantile.ts";
import { fillReports } from "./fill-reports.ts";
import { call, withScene } from "./scene.ts";

interface Filtered {
  query: string;
  /** Reports on the first page of the list. */
  found: number;
  p50Milliseconds: number;
  p95Milliseconds: number;
}

export interface Filters {
  reports: number;
  all: Filtered[];
}

/** Every filter of the query bar: values that many, few and no reports have. */
const single = [
  ...["level:error", "level:fatal", "level:debug", "-level:info", "level:fatal,error"],
  ...["type:error", "type:crash", "type:none", "-type:log"],
  ...["env:production", "env:development", "env:none", "-env:production"],
  ...["release:4.3.1", "release:4.1*", "release:9.9.9", "-release:4.3.1"],
  ...["user.id:u-777", "user.id:u-77*", "user.id:nobody", "-user.id:u-777"],
  ...["user.email:user777@example.org", "user.email:nobody@example.org"],
  ...["tag.screen:cart", "tag.device:device-7", "tag.build:b500", "tag.build:none", "-tag.screen:cart"],
  ...["has:attachment", "has:warning", "has:dropped", "-has:attachment"],
  ...["is:repeated", "is:undelivered", "-is:repeated", "-is:undelivered"],
  ...["timeout", "order777", "order7", "checkout", "absent", "-timeout"],
];

/** One value of each filter, for the pairs. */
const paired = [
  "level:fatal",
  "type:crash",
  "env:development",
  "release:4.3.1",
  "user.id:u-777",
  "tag.device:device-7",
].concat(["has:attachment", "has:warning", "has:dropped", "is:repeated", "is:undelivered", "timeout", "-level:error"]);
const pairs = paired.flatMap((one, i) => paired.slice(i + 1).map((other) => `${one} ${other}`));
const several = [
  "level:fatal,error env:production release:4.3.* tag.screen:cart",
  "level:fatal env:development type:crash has:attachment timeout",
  "level:error -env:production is:repeated",
  "user.id:u-777 level:fatal",
];

const ranges = ["24h", "30d"] as const;
const turns = 9;

/** How long the list of a project with many reports takes for each filter, all of them in the search index. */
export function measureFilters(binary: string, { rows }: { rows: number }): Promise<Filters> {
  progress(`filling a database with ${rows} reports`);
  return withScene(
    binary,
    "filters",
    async (installation) => {
      await storeOne(installation);
      fillReports(installation.database, rows);
    },
    async (scene) => {
      const all: Filtered[] = [];
      for (const range of ranges) {
        for (const query of [...single, ...pairs, ...several]) {
          const path = `/projects/${scene.installation.projectId}/reports?range=${range}&q=${encodeURIComponent(query)}`;
          const times: number[] = [];
          let found = 0;
          for (let turn = 0; turn < turns; turn++) {
            const began = performance.now();
            found = (await call<{ items: unknown[] }>(scene, path)).items.length;
            times.push(performance.now() - began);
            // One answer that takes seconds tells enough.
            if (times.reduce((sum, time) => sum + time, 0) > 2_000) break;
          }
          const [p50Milliseconds, p95Milliseconds] = [quantile(times, 0.5), quantile(times, 0.95)];
          all.push({ query: `${range} ${query}`, found, p50Milliseconds, p95Milliseconds });
        }
      }
      return { reports: rows, all };
    },
  );
}
