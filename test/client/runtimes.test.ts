import { beforeAll, describe, expect, test } from "bun:test";
import { bundle } from "./bundle.ts";
import type { Case, Result } from "./cases/env.ts";
import { quiet } from "./cases/run.ts";
import * as endurance from "./endurance.ts";
import * as everywhere from "./everywhere.ts";
import { installRuntimes } from "./install.ts";
import * as nativeClassic from "./native-classic.ts";
import * as nativeExpo from "./native-expo.ts";
import { exits, isBrowser, type Runtime, runIn, runtimes } from "./runtimes.ts";

beforeAll(() => installRuntimes(), 600_000);

for (const runtime of Object.keys(runtimes) as Runtime[]) describeIn(runtime, "everywhere.ts", everywhere.cases);
for (const runtime of ["Node 24", "Bun", "Deno"] as const) describeIn(runtime, "endurance.ts", endurance.cases);
describeIn("Node 24", "native-classic.ts", nativeClassic.cases);
describeIn("Node 24", "native-expo.ts", nativeExpo.cases);

test("no two cases have the same name", () => {
  const names = everywhere.cases.map(([name]) => name);
  expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual([]);
});

/** Runs the script once and makes a test of each of its results. */
function describeIn(runtime: Runtime, script: string, cases: readonly Case[]) {
  describe(`${script} in ${runtime}`, () => {
    let results: Result[] = [];
    beforeAll(async () => {
      results = await runIn(runtime, await bundle(script));
    }, 300_000);

    const names = [...cases.map(([name]) => name), quiet, ...(isBrowser(runtime) ? [] : [exits])];
    test.each(names)("%s", (name) => {
      const result = results.find((one) => one.name === name);
      expect(result ?? "no result").toEqual({ name, ms: expect.any(Number) });
    });
  });
}
