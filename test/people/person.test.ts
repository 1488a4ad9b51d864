import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { DeletePerson, FoundPerson, PersonQuery } from "../../openapi/schema/people.ts";
import { openSealing } from "../../server/core/open-sealing.ts";
import { encodeCursor } from "../../server/core/page.ts";
import type { Sealing } from "../../server/core/sealing.ts";
import { Links } from "../../server/files/links.ts";
import { listAudit } from "../../server/organisation/list-audit.ts";
import { deletePerson } from "../../server/people/delete-person.ts";
import { exportPerson } from "../../server/people/export-person.ts";
import { findPerson } from "../../server/people/find-person.ts";
import { minute, Scene } from "../notices/scene.ts";
import { run, runJson } from "../support/binary.ts";
import { attachment, envelope, eventCount, eventTools, storeReport } from "../support/ingest.ts";
import { type Installation, install } from "../support/installation.ts";
import { keptIds } from "../support/kept-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

setDefaultTimeout(180_000);

let installation: Installation;
let sealing: Sealing;
let tools: ReturnType<typeof eventTools>;
beforeAll(async () => {
  installation = await install();
  sealing = await openSealing(installation.folder, installation.ctx.store);
  tools = eventTools(installation);
});
beforeEach(() => installation.ctx.store.write((tx) => tx.run("delete from event")));
afterAll(async () => {
  tools.reader.close();
  await installation.remove();
});

const ada: PersonQuery = { by: "user.email", value: "ada@example.org" };
const report = (user: unknown, ...attachments: Parameters<typeof envelope>[0][]) =>
  storeReport(installation, [
    envelope({ reportId: crypto.randomUUID(), title: "It fell", user }),
    ...attachments.map((body, i) => attachment(body as string, i)),
  ]);
const find = (input: PersonQuery) => findPerson({ ctx: installation.ctx, tools: { sealing }, input });
const remove = (input: DeletePerson) => deletePerson({ ctx: installation.ctx, tools: { ...tools, sealing }, input });
const page = async (input: PersonQuery, cursor?: string) => {
  const tools = { sealing, links: new Links(sealing) };
  const { items, next } = await exportPerson({ ctx: installation.ctx, tools, input: { ...input, cursor } });
  return { items, next: next ?? undefined };
};
const exportAll = async (input: PersonQuery) => {
  const items: Record<string, unknown>[] = [];
  let cursor: string | undefined;
  do {
    const { items: some, next } = await page(input, cursor);
    items.push(...some.map((item) => JSON.parse(item)));
    cursor = next;
  } while (cursor);
  return items;
};

describe("a person's reports", () => {
  test("are counted by the whole value of user.id or user.email, with what belongs to them", async () => {
    await report({ id: "7", email: ada.value }, "one", "two");
    await report({ id: "8", email: ada.value });
    for (const other of ["Ada@example.org", "ada@example.or", "a%", "ada@example.org ", "*"])
      await report({ email: other });
    expect(await find(ada)).toMatchObject({ reports: 2, attachments: 2, cards: 0, deliveries: 0 });
    expect(await find({ by: "user.id", value: "7" })).toMatchObject({ reports: 1, attachments: 2 });
    for (const value of ["%", "_", "ada@*", "' or 1=1 --", '"', "ada", "user.email:ada@example.org"]) {
      expect(await find({ by: "user.email", value })).toMatchObject({ reports: 0, oldest: null, bytes: 0 });
    }
    expect((await find(ada)).code).toMatch(/^[0-9a-f]{20}$/);
    expect((await find(ada)).code).not.toBe((await find({ ...ada, by: "user.id" })).code);
  });

  test("are exported page by page, each once, with envelope and links", async () => {
    for (let i = 0; i < 230; i++) await report({ email: ada.value, n: i });
    await report({ email: ada.value }, "bytes");
    await report({ email: "other@example.org" });
    const items = await exportAll(ada);
    expect(new Set(items.map(({ id }) => id)).size).toBe(231);
    expect(items[7]).toMatchObject({ userEmail: ada.value, envelope: { user: { email: ada.value, n: 7 } } });
    expect(items.at(-1)).toMatchObject({ attachments: [{ size: 5, url: expect.stringContaining("/files/") }] });
    const { items: entries } = await listAudit({ ctx: installation.ctx, input: { limit: 1 } });
    expect(entries[0]).toMatchObject({ action: "person.export", to: { reports: 231 } });
  });

  test("are exported on by nobody with a cursor that was made up, or given for somebody else", async () => {
    for (let i = 0; i < 101; i++) await report({ email: ada.value, n: i });
    const { items, next } = await page(ada);
    expect(items.length).toBe(100);
    expect((await page(ada, next)).items.length).toBe(1);
    const [last = "", code = ""] = JSON.parse(Buffer.from(next ?? "", "base64url").toString()) as string[];
    for (const keys of [[""], [last], ["", code], [last, code.slice(1)], [last, ""], [last, `${code}0`]]) {
      await expect(page(ada, encodeCursor(keys))).rejects.toThrow("not one that this list has given");
    }
    await expect(page({ by: "user.email", value: "other@example.org" }, next)).rejects.toThrow("has given");
    const filter = { action: "person.export" };
    const { items: entries } = await listAudit({ ctx: installation.ctx, input: { limit: 200, filter } });
    expect(entries[0]).toMatchObject({ to: { reports: 101 } });
    expect(entries[1]?.to).not.toEqual({ reports: 101 });
  });

  test("are deleted with their files, as many as were expected, and nobody else's", async () => {
    const before = (await keptIds(installation.folder)).length;
    for (let i = 0; i < 3; i++) await report({ email: ada.value }, `bytes ${i}`);
    const other = await report({ email: "other@example.org" }, "stay");
    await expect(remove({ ...ada, reports: 2 })).rejects.toMatchObject({
      code: "conflict",
      message: "There are 3 reports of this person, not 2. Look again first.",
    });
    expect(await eventCount(installation)).toBe(4);
    expect(await remove({ ...ada, reports: 3 })).toEqual({ deleted: 3, left: 0 });
    expect(await eventCount(installation)).toBe(1);
    expect((await keptIds(installation.folder)).length).toBe(before + 1);
    expect(await find({ by: "user.email", value: "other@example.org" })).toMatchObject({ reports: 1 });
    expect(other.eventId).toBeString();
    const filter = { action: "person.delete" };
    const { items } = await listAudit({ ctx: installation.ctx, input: { limit: 1, filter } });
    const { code } = await find(ada);
    expect(items[0]).toMatchObject({ action: "person.delete", object: `person ${code}`, to: { reports: 3, left: 0 } });
    expect(JSON.stringify(items)).not.toContain("ada");
  });

  test("are deleted with the notice of their title, which others keep", async () => {
    const scene = new Scene(installation);
    const fatal = (title: string, email: string) =>
      storeReport(installation, [envelope({ reportId: crypto.randomUUID(), level: "fatal", title, user: { email } })]);
    await fatal("No account of ada@example.org", ada.value);
    await fatal("It fell", "other@example.org");
    await scene.index();
    const { store } = installation.ctx;
    const titles = async () => [
      ...(await store.all("select title from fatal_title order by title")),
      ...(await store.all("select name as title from notice where rule = 'fatal_new' order by name")),
    ];
    await scene.look();
    const [fell, named] = [{ title: "It fell" }, { title: "No account of ada@example.org" }];
    expect(await titles()).toEqual([fell, named, fell, named]);
    expect(await remove({ ...ada, reports: 1 })).toEqual({ deleted: 1, left: 0 });
    expect(await titles()).toEqual([fell, fell]);
    await scene.lookAfter(minute);
    expect(await titles()).toEqual([fell, fell]);
  });

  test("are deleted in steps, also by two at once, each exactly once", async () => {
    for (let i = 0; i < 620; i++) await report({ email: ada.value });
    const both = await Promise.allSettled([remove({ ...ada, reports: 620 }), remove({ ...ada, reports: 620 })]);
    const deleted = both.reduce((sum, one) => sum + (one.status === "fulfilled" ? one.value.deleted : 0), 0);
    const { reports } = await find(ada);
    expect(deleted).toBe(620 - reports);
    if (reports > 0) expect(await remove({ ...ada, reports })).toEqual({ deleted: reports, left: 0 });
    expect(await find(ada)).toMatchObject({ reports: 0 });
  });

  test("stay deleted when the app sends them again, which gets the same answer", async () => {
    const parts = [envelope({ reportId: crypto.randomUUID(), user: { email: ada.value } })];
    const first = await storeReport(installation, parts);
    await remove({ ...ada, reports: 1 });
    expect(await storeReport(installation, parts)).toMatchObject({ eventId: first.eventId, idempotent: true });
    expect(await find(ada)).toMatchObject({ reports: 0 });
  });
});

describe("intake person", () => {
  const args = (...words: string[]) => ["person", ...words, "--data", installation.folder];

  test("finds, exports and deletes", async () => {
    for (let i = 0; i < 3; i++) await report({ id: "person 7" }, "bytes");
    const who = ["--user-id", "person 7"];
    expect(await runJson<FoundPerson>(args("find", ...who))).toMatchObject({ reports: 3, attachments: 3 });
    const { stdout } = await run(args("export", ...who));
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ envelope }) => envelope.user.id)).toEqual(["person 7", "person 7", "person 7"]);
    const scratch = temporaryFolder();
    const output = join(scratch, "person.jsonl");
    await run(args("export", ...who, "--output", output));
    expect(await Bun.file(output).text()).toBe(stdout);
    rmSync(scratch, { recursive: true });
    expect(await runJson<object>(args("delete", ...who, "--dry-run"))).toMatchObject({ wouldDelete: 3, reports: 3 });
    expect(await run(args("delete", ...who))).toMatchObject({ code: 2 });
    expect(await eventCount(installation)).toBe(3);
    expect(await runJson<object>(args("delete", ...who, "--yes"))).toMatchObject({ deleted: 3 });
    expect(await runJson<object>(args("delete", ...who, "--yes"))).toMatchObject({ deleted: 0 });
  });

  test("refuses what names nobody", async () => {
    for (const words of [[], ["--email", ""], ["--email", "a", "--user-id", "b"], ["--user-id", "x".repeat(201)]]) {
      expect(await run(args("find", ...words))).toMatchObject({ code: 2 });
    }
  });
});
