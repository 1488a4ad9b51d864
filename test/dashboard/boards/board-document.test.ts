import { beforeAll, expect, test } from "bun:test";
import type { CreatedProject } from "../../../server/boards/create-project.ts";
import type { BoardPage } from "../../../server/boards/show-board.ts";
import type { CardSummary } from "../../../server/tickets/card-summary.ts";
import { signIn } from "../../support/sign-in.ts";
import { describeTargets } from "../../support/targets.ts";
import { asMember, newOp } from "./as-member.ts";

interface Carried {
  address: string;
  answer: BoardPage;
}

const bytesMax = 256_000;
const day = (time: number) => new Date(time).toISOString().slice(0, 10);

describeTargets(
  "the document of a board",
  (target) => {
    let member: Awaited<ReturnType<typeof asMember>>;
    let admin: Awaited<ReturnType<typeof asMember>>;
    let project: CreatedProject;
    const page = (search = "", board = project.board.id) => `/p/${project.id}/boards/${board}${search}`;

    beforeAll(async () => {
      [member, admin] = await Promise.all([asMember(target()), asMember(target(), "admin")]);
      project = await admin.post<CreatedProject>("/projects", { name: "Documents" });
      for (const title of ["One", "Two", "</script><script>alert(1)</script><!--<script>\u2028"]) {
        await member.post<CardSummary>("/cards", { op: newOp(), columnId: project.columns[0]?.id, title });
      }
    });

    async function open(path: string, headers: Record<string, string> = {}, method = "GET") {
      const response = await target().send(path, { method, headers: { cookie: member.cookie, ...headers } });
      return { response, text: await response.text() };
    }

    /** What the document carries for the page's first call; undefined when it carries nothing. */
    function carriedIn(text: string): Carried | undefined {
      const block = /<script type="application\/json" id="answer">(.*?)<\/script>/s.exec(text)?.[1];
      return block === undefined ? undefined : (JSON.parse(block) as Carried);
    }

    test("carries the answer to the page's first call", async () => {
      const before = Date.now();
      const { response, text } = await open(page());
      expect([response.status, response.headers.get("cache-control")]).toEqual([200, "no-store"]);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      const { address, answer } = carriedIn(text) as Carried;
      const days = [before, Date.now()].map(day);
      expect(days.map((today) => `/internal/boards/${project.board.id}?today=${today}`)).toContain(address);
      expect(answer).toEqual(await member.get<BoardPage>(address.slice("/internal".length)));
      expect(answer.columns[0]?.cards.length).toBe(3);
      expect(text.endsWith("</body>\n</html>\n")).toBe(true);
    });

    test("answers the call for the filter, the reader's day and the done cards that the browser will make", async () => {
      const search = "?text=tw%20o&quick=overdue&priority=low,high&nothing=1&due=";
      for (const [minutes, days] of [
        [840, "7"],
        [-720, ""],
      ] as const) {
        const before = Date.now();
        const { text } = await open(page(search), { cookie: `${member.cookie}; intake_view=${minutes}.${days}` });
        const { address, answer } = carriedIn(text) as Carried;
        const done = days === "" ? "" : `&doneDays=${days}`;
        const addresses = [before, Date.now()].map((time) => {
          const query = `quick=overdue&priority=low%2Chigh&text=tw+o&today=${day(time + minutes * 60_000)}${done}`;
          return `/internal/boards/${project.board.id}?${query}`;
        });
        expect(addresses).toContain(address);
        expect(answer.columns.map(({ count, total }) => [count, total])).toEqual([
          [0, 3],
          [0, 0],
          [0, 0],
          [0, 0],
        ]);
      }
    });

    test("has no text of a title that could end its element", async () => {
      const { text } = await open(page());
      expect(text.match(/<script/g)?.length).toBe(3);
      expect(text).not.toContain("<!--");
      const [card] = carriedIn(text)?.answer.columns[0]?.cards ?? [];
      expect(card?.title).toBe("</script><script>alert(1)</script><!--<script>\u2028");
    });

    test("has the policy of every page: no script of the document's own runs", async () => {
      const [board, other] = await Promise.all([open(page()), open("/runs")]);
      const policy = board.response.headers.get("content-security-policy");
      expect(policy).toContain("script-src 'self';");
      expect(policy).toBe(other.response.headers.get("content-security-policy"));
    });

    test("is compressed, unless another site led to it", async () => {
      const codings = [];
      for (const site of ["none", "same-origin", "cross-site", "same-site"]) {
        const headers = { "sec-fetch-site": site, "accept-encoding": "gzip, br" };
        const { response, text } = await open(page(), headers);
        codings.push([site, response.headers.get("content-encoding"), response.headers.get("vary")]);
        if (target().way === "compiled binary") expect(carriedIn(text)?.answer.columns.length).toBe(4);
      }
      expect(codings).toEqual([
        ["none", "gzip", "Accept-Encoding"],
        ["same-origin", "gzip", "Accept-Encoding"],
        ["cross-site", null, "Accept-Encoding"],
        ["same-site", null, "Accept-Encoding"],
      ]);
      expect((await open(page(), { "accept-encoding": "identity" })).response.headers.get("content-encoding")).toBe(
        null,
      );
    });

    test("carries no cards for a stranger, for an ended session and for somebody who was removed", async () => {
      const ended = await signIn(target(), "member");
      await target().send("/internal/session", {
        method: "DELETE",
        headers: { cookie: ended.cookie, "sec-fetch-site": "same-origin" },
      });
      const removed = await signIn(target(), "member");
      await admin.delete(`/members/${removed.id}`);
      for (const cookie of ["", ended.cookie, removed.cookie]) {
        const { response, text } = await open(page(), { cookie });
        expect([response.status, carriedIn(text), text.includes("One")]).toEqual([200, undefined, false]);
      }
    });

    test("carries nothing where the call is refused: the page makes it and says why", async () => {
      const other = await member.post<{ id: string }>("/boards", { projectId: project.id, name: "Gone" });
      await admin.delete(`/boards/${other.id}`);
      const paths = [page("", other.id), page("", crypto.randomUUID()), page("", "none"), page("?due=someday")];
      for (const path of [...paths, page("?token=1"), "/", "/runs", `/p/${project.id}`]) {
        const { response, text } = await open(path);
        expect([path, response.status, carriedIn(text)]).toEqual([path, 200, undefined]);
        expect(text.endsWith("</body>\n</html>\n")).toBe(true);
      }
    });

    test("carries an archived board as the call answers it", async () => {
      const other = await member.post<{ id: string }>("/boards", { projectId: project.id, name: "Old" });
      await admin.post(`/boards/${other.id}/archive`, {});
      const { text } = await open(page("", other.id));
      expect(carriedIn(text)?.answer.archivedAt).toBeString();
    });

    test("carries no board above its bound", async () => {
      const other = await member.post<{ id: string; columns: { id: string }[] }>("/boards", {
        projectId: project.id,
        name: "Large",
      });
      const { ctx } = target().installation;
      const fill = (from: number, to: number) =>
        ctx.store.write(function* (tx) {
          for (let i = from; i < to; i++) {
            yield* tx.run(
              `insert into ticket (id, column_id, position, title, description, priority, author_name, created_at)
               values ($1, $2, $3, $4, null, 'none', 'CI', $5)`,
              [`${crypto.randomUUID()}`, other.columns[i % 4]?.id ?? "", i, "<".repeat(200), ctx.now()],
            );
          }
        });
      await fill(0, 100);
      const below = await open(page("", other.id));
      const block = /<script type="application\/json" id="answer">.*?<\/script>/s.exec(below.text)?.[0] ?? "";
      expect(carriedIn(below.text)?.answer.columns.map(({ cards }) => cards.length)).toEqual([25, 25, 25, 25]);
      expect(Buffer.byteLength(block)).toBeWithin(bytesMax / 2, bytesMax);
      await fill(100, 240);
      for (let i = 0; i < 2; i++) expect(carriedIn((await open(page("", other.id))).text)).toBeUndefined();
    });

    test("is not read for a request for its headers alone", async () => {
      const { response, text } = await open(page(), {}, "HEAD");
      expect([response.status, text]).toEqual([200, ""]);
    });

    test("names the live message after which its page is told of changes", async () => {
      const { text } = await open(page());
      const boot = JSON.parse(/id="boot">(.*?)<\/script>/s.exec(text)?.[1] ?? "{}") as { live?: string };
      await member.post<CardSummary>("/cards", { op: newOp(), columnId: project.columns[1]?.id, title: "Later" });
      const controller = new AbortController();
      const headers = { cookie: member.cookie };
      const stream = await target().send(`/internal/live?since=${boot.live}`, { headers, signal: controller.signal });
      const reader = stream.body?.getReader();
      let told = "";
      while (!told.includes('"kind":"card"')) {
        told += new TextDecoder().decode((await reader?.read())?.value as Uint8Array);
        expect(told).not.toContain("event: resync");
      }
      await reader?.cancel();
      controller.abort();
      const stranger = (await open(page(), { cookie: "" })).text;
      expect(stranger).not.toContain('"live"');
    });
  },
  ["in process", "compiled binary"],
);
