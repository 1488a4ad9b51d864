import { expect, test } from "bun:test";
import { createToken } from "../../../server/credentials/create-token.ts";
import type { AuditEntry } from "../../../server/organisation/list-audit.ts";
import { call } from "../../support/call.ts";
import { signIn } from "../../support/sign-in.ts";
import { describeTargets } from "../../support/targets.ts";

describeTargets(
  "the audit log",
  (target) => {
    async function listing(query = ""): Promise<AuditEntry[]> {
      const { cookie } = await signIn(target(), "admin");
      const { body } = await call(target(), "GET", `/internal/audit${query}`, { cookie });
      return body["items"] as AuditEntry[];
    }

    test("says who did what to what, from where, and by which call", async () => {
      const { cookie, id } = await signIn(target(), "admin");
      const added = { email: "audited@example.org", name: '=HYPERLINK("x")', role: "member" };
      const made = await call(target(), "POST", "/internal/members", { cookie, body: added });
      const [entry] = await listing(`?actor=${id}`);
      expect(entry).toMatchObject({
        actor: "admin",
        actorKind: "member",
        actorId: id,
        action: "member.add",
        object: `member ${made.body["id"]}`,
        objectName: added.name,
        to: added,
        network: "127.0.0.0/24",
        requestId: made.headers.get("x-request-id"),
      });
      expect(JSON.stringify(entry)).not.toContain(new URL(String(made.body["inviteUrl"])).hash.slice(1));
    });

    test("is filtered by actor, kind of act, act, object and time", async () => {
      const { ctx, made } = target().installation;
      const before = new Date(ctx.now()).toISOString();
      const token = await createToken({ ctx, input: { name: "T", reach: "all", scopes: [] } });
      const byObject = await listing(`?object=${encodeURIComponent(`token ${token.id}`)}`);
      expect(byObject.map(({ action }) => action)).toEqual(["token.create"]);
      expect((await listing("?action=token")).map(({ object }) => object)).toContain(`token ${token.id}`);
      expect(await listing("?action=token.revoke")).toEqual([]);
      expect(await listing("?action=tok")).toEqual([]);
      const late = await listing(`?since=${before}&action=organisation`);
      expect(late).toEqual([]);
      const early = await listing(`?until=${before}&action=organisation`);
      expect(early.map(({ object }) => object)).toEqual([`organisation ${made.organisation.id}`]);
      expect(await listing("?until=2000-01-01T00:00:00.000Z")).toEqual([]);
      const { cookie } = await signIn(target(), "admin");
      expect((await call(target(), "GET", "/internal/audit?since=yesterday", { cookie })).status).toBe(400);
    });

    test("is paged without a gap or a repetition", async () => {
      const { ctx } = target().installation;
      for (let i = 0; i < 60; i++) await createToken({ ctx, input: { name: `T${i}`, reach: "all", scopes: [] } });
      const { cookie } = await signIn(target(), "admin");
      const seen: string[] = [];
      let cursor = "";
      do {
        const { body } = await call(target(), "GET", `/internal/audit?action=token${cursor}`, { cookie });
        seen.push(...(body["items"] as AuditEntry[]).map(({ id }) => id));
        cursor = body["next"] === null ? "" : `&cursor=${body["next"]}`;
      } while (cursor !== "");
      expect(seen.length).toBe(61);
      expect(seen).toEqual([...new Set(seen)].sort().reverse());
    });

    test("can be taken along as CSV that no spreadsheet runs, which is an entry itself", async () => {
      const { cookie } = await signIn(target(), "admin");
      const { headers, body } = await call(target(), "GET", "/internal/audit/export?action=member", { cookie });
      expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
      expect(headers.get("content-disposition")).toContain("attachment");
      const lines = String(body["text"]).split("\r\n");
      expect(lines[0]).toBe('"at","actor kind","actor","action","object","name","from","to","network","request id"');
      expect(lines.join("\n")).toContain(`"'=HYPERLINK(""x"")"`);
      expect(lines.every((line) => line === "" || /^"[^\n]*"$/.test(line))).toBe(true);
      expect((await listing("?action=audit.export")).length).toBe(1);
    });

    test("can be taken along as JSON Lines, the entries as the page has them", async () => {
      const { cookie } = await signIn(target(), "admin");
      const path = "/internal/audit/export?format=jsonl&action=member";
      const { headers, body } = await call(target(), "GET", path, { cookie });
      expect(headers.get("content-type")).toBe("application/jsonl; charset=utf-8");
      expect(headers.get("content-disposition")).toBe('attachment; filename="intake-audit.jsonl"');
      const lines = String(body["text"]).trimEnd().split("\n");
      const { body: listed } = await call(target(), "GET", "/internal/audit?action=member", { cookie });
      expect(lines.map((line) => JSON.parse(line))).toEqual(listed["items"] as AuditEntry[]);
      expect((await call(target(), "GET", "/internal/audit/export?format=xml", { cookie })).status).toBe(400);
    });
  },
  ["over loopback"],
);
