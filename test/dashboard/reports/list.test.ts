import { beforeAll, describe, expect, test } from "bun:test";
import type { Volume } from "../../../server/overview/show-volume.ts";
import type { ReportList } from "../../../server/reports/list-reports.ts";
import { signIn } from "../../support/sign-in.ts";
import { describeTargets } from "../../support/targets.ts";
import { until } from "../../support/until.ts";
import { read, report } from "./pages.ts";

describeTargets(
  "the list of reports",
  (target) => {
    let cookie = "";
    const ids: Record<string, string> = {};
    const list = (query: string, more = "") =>
      read<ReportList>(
        target(),
        cookie,
        `/internal/projects/${target().installation.made.project.id}/reports?q=${encodeURIComponent(query)}${more}`,
      );
    const found = async (query: string) => {
      const names = Object.entries(ids);
      const { items } = await list(query);
      return items.map(({ id }) => names.find(([, known]) => known === id)?.[0]).toSorted();
    };

    beforeAll(async () => {
      cookie = (await signIn(target(), "member")).cookie;
      ids["crash"] = await report(target(), {
        type: "crash",
        level: "fatal",
        title: "TypeError: total is undefined",
        message: "While reading the Warenkorb of a Käufer",
        app: { version: "4.12.0", environment: "production" },
        user: { id: "u-1", email: "One@Example.org" },
        tags: { screen: "checkout", "a b": 'x"y' },
      });
      ids["http"] = await report(
        target(),
        {
          type: "http",
          level: "error",
          title: "HTTP 502 from /v2/checkout",
          app: { version: "4.12.1" },
          tags: { screen: "cart" },
        },
        [{ name: "app.log", body: "line" }],
      );
      ids["old"] = await report(target(), {
        type: "Crash",
        level: "error",
        title: "Out of memory",
        app: { version: "4.11.9", environment: "staging" },
        dropped: [{ filename: "run.mp4", size: 1, reason: "too large" }],
      });
      ids["odd"] = await report(target(), { title: 7, level: "worst" });
      await until(async () => ((await list("memory")).items.length === 1 ? true : undefined));
      await until(async () => ((await list("has:dropped")).items.length === 1 ? true : undefined));
    });

    test("is newest first and pages by cursor without a gap", async () => {
      const first = await list("", "&limit=3");
      expect(first.items.map(({ id }) => id)).toEqual([ids["odd"], ids["old"], ids["http"]] as string[]);
      const second = await list("", `&limit=3&cursor=${first.next}`);
      expect(second.items.map(({ id }) => id)).toEqual([ids["crash"]] as string[]);
      expect(second.next).toBeNull();
    });

    test("its numbers are those of what is asked for", async () => {
      const volume = (query: string) => {
        const path = `/internal/projects/${target().installation.made.project.id}/reports/volume?range=1h`;
        return read<Volume>(target(), cookie, `${path}&q=${encodeURIComponent(query)}`);
      };
      const levelsOf = ({ levels }: Volume) =>
        levels.map(({ level, counts }) => [level, counts.reduce((a, b) => a + b)]);
      const crashes = await volume("type:crash");
      expect([crashes.total, crashes.totalRepeats, crashes.countedBackTo]).toEqual([2, 0, undefined]);
      expect(levelsOf(crashes)).toEqual([
        ["fatal", 1],
        ["error", 1],
      ]);
      expect(crashes.at).toEqual((await volume("")).at);
      expect(levelsOf(await volume("checkout -type:crash"))).toEqual([["error", 1]]);
      expect((await volume("nowhere to be found")).total).toBe(0);
      // Terms that make no sense are left out, as in the list.
      expect((await volume("type:crash foo:bar")).total).toBe(2);
      expect(
        (
          await until(async () => {
            const all = await volume("foo:bar");
            return all.total === 4 ? all : undefined;
          })
        ).levels.length,
      ).toBe(3);
    });

    test("says of a report what its row shows", async () => {
      const { items } = await list("type:http");
      expect(items).toEqual([
        {
          id: ids["http"] ?? "",
          title: "HTTP 502 from /v2/checkout",
          level: "error",
          type: "http",
          environment: null,
          release: "4.12.1",
          receivedAt: expect.any(String),
          received: 1,
          warnings: 0,
          attachments: 1,
        },
      ]);
    });

    const cases: [string, string[]][] = [
      ["level:fatal", ["crash"]],
      ["level:fatal,error", ["crash", "http", "old"]],
      ["-level:fatal", ["http", "odd", "old"]],
      ["type:CRASH", ["crash", "old"]],
      ["type:cr*", ["crash", "old"]],
      ["env:production", ["crash"]],
      ["-env:production", ["http", "odd", "old"]],
      ["release:4.12.*", ["crash", "http"]],
      ["release:4.12.0", ["crash"]],
      ["release:4-12-0", []],
      ["-release:4-12-0", ["crash", "http", "odd", "old"]],
      ["-release:4-12-*", ["crash", "http", "odd", "old"]],
      ["-release:4.12.*", ["odd", "old"]],
      ["-tag.screen:cart", ["crash", "odd", "old"]],
      ["tag.screen:checkout", ["crash"]],
      ["tag.screen:checkout,cart type:http", ["http"]],
      ['tag."a b":x', []],
      ["user.id:u-1", ["crash"]],
      ["user.email:one@example.org", ["crash"]],
      ["has:attachment", ["http"]],
      ["-has:attachment", ["crash", "odd", "old"]],
      ["has:warning", ["odd"]],
      ["has:dropped", ["old"]],
      ["-has:dropped", ["crash", "http", "odd"]],
      ["has:dropped,attachment", ["http", "old"]],
      ["is:repeated", []],
      ["is:undelivered", []],
      ["checkout", ["http"]],
      ["Typ", ["crash"]],
      ["error total", ["crash"]],
      ["kaufer", ["crash"]],
      ["WARENKORB", ["crash"]],
      ['"out of"', ["old"]],
      ["-memory level:error", ["http"]],
      ["-memory", ["crash", "http", "odd"]],
      ["AND NOT ( OR ^ : NEAR", []],
      ["* ) level:error -type:http", ["old"]],
    ];
    for (const [query, expected] of cases) {
      test(query, async () => {
        expect(await found(query)).toEqual(expected);
      });
    }

    test("finds by the name of the key", async () => {
      const { name } = target().installation.made.sdkKey as { name?: string };
      expect((await list(`key:"${name ?? target().installation.made.sdkKey.id}"`)).items).toHaveLength(4);
    });

    test("names terms that make no sense, where they stand, and looks for the rest", async () => {
      const { items, problems } = await list("level:worst foo:bar type:crash x key:nobody");
      expect(items).toHaveLength(2);
      expect(problems.map(({ term, at, length }) => [term, at, length])).toEqual([
        ["level:worst", 0, 11],
        ["foo:bar", 12, 7],
        ["x", 31, 1],
        ["key:nobody", 33, 10],
      ]);
    });

    test("keeps to a range", async () => {
      const before = new Date(Date.now() - 3_600_000).toISOString();
      expect((await list("", `&until=${before}`)).items).toEqual([]);
      expect((await list("level:error", `&since=${before}`)).items).toHaveLength(2);
      expect((await list("memory", "&range=1h")).items).toHaveLength(1);
    });

    describe("of a wrong call", () => {
      const status = async (path: string) => (await target().send(path, { headers: { cookie } })).status;
      test("there is an answer that says so", async () => {
        const { id } = target().installation.made.project;
        expect(await status(`/internal/projects/${crypto.randomUUID()}/reports`)).toBe(404);
        expect(await status(`/internal/projects/${id}/reports?cursor=nonsense`)).toBe(400);
        expect(await status(`/internal/projects/${id}/reports?range=1y`)).toBe(400);
        expect(await status(`/internal/projects/${id}/reports?limit=201`)).toBe(400);
      });
    });
  },
  ["in process", "compiled binary"],
);
