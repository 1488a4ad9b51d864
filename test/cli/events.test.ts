import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { EventSummary } from "../../server/ingest/list-events.ts";
import type { ShownEvent } from "../../server/ingest/show-event.ts";
import type { CreatedOrganisation } from "../../server/organisation/create-organisation.ts";
import { type RunningBinary, run, runJson, serve } from "../support/binary.ts";
import { faultsFound } from "../support/doctor.ts";
import { attachment, envelope, type PartInput, received, submit } from "../support/ingest.ts";
import { type DataFolder, newDataFolder } from "../support/installation.ts";
import { keptIds } from "../support/kept-files.ts";
import { withStoreOf } from "../support/open-store.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(180_000);

interface Key {
  id: string;
  key: string;
}
interface Page<T> {
  items: T[];
  next: string | null;
}

const absent = "0198c0de-0000-7000-8000-00000000dead";
let data: DataFolder;
let folder: string;
let outputs: string;
let made: CreatedOrganisation;
let server: RunningBinary;

const intake = <T>(...args: string[]) => runJson<T>([...args, "--data", folder]);
const ends = async (...args: string[]) => {
  const { code, stdout, stderr } = await run([...args, "--data", folder]);
  return { code, stdout, lines: stderr.trimEnd().split("\n") };
};
const send = (path: string, init?: RequestInit) => fetch(server.url + path, init);
const report = (key: string, value: unknown = { reportId: crypto.randomUUID() }, ...attachments: PartInput[]) =>
  received({ send }, { key, parts: [envelope(value), ...attachments] });
const statusWith = async (key: string) => (await submit({ send }, { key })).status;
const newProject = async () => {
  const project = await intake<{ id: string }>("project", "create", "--name", "Project");
  const { id, key } = await intake<Key>("key", "create", "--project", project.id, "--name", "App", "--limit", "1000");
  return { id: project.id, keyId: id, key };
};
const listed = async (projectId: string, ...filters: string[]) =>
  (await intake<Page<EventSummary>>("event", "list", "--project", projectId, ...filters)).items.map(({ id }) => id);
const attachmentFiles = async () => (await keptIds(folder)).length;

beforeAll(async () => {
  data = await newDataFolder();
  folder = data.folder;
  outputs = temporaryFolder();
  made = await runJson(["init", "--data", folder, "--org", "Example", "--admin-email", "admin@example.org"]);
  server = await serve(folder, ["--rate-limits", "off"]);
});
afterAll(async () => {
  await server.stop();
  await data.remove();
  rmSync(outputs, { recursive: true, force: true });
});

describe("keys, beside a live server and from the next request on", () => {
  test("the key that init has printed sends reports", async () => {
    expect(made.sdkKey.key).toMatch(/^isk_[0-9A-Za-z]{36}$/);
    expect(await statusWith(made.sdkKey.key)).toBe(200);
  });

  test("create, list, pause, resume, revoke", async () => {
    const { id, key } = await intake<Key>("key", "create", "--project", made.project.id, "--name", "Web shop");
    expect(key).toMatch(/^isk_[0-9A-Za-z]{36}$/);
    const state = async () => {
      const { items } = await intake<Page<Record<string, unknown>>>("key", "list", "--project", made.project.id);
      return items.find((item) => item["id"] === id);
    };
    expect(await statusWith(key)).toBe(200);
    expect(await state()).toMatchObject({ name: "Web shop", key, state: "active", limit: 60, origins: [] });
    const more = ["--name", "Shop", "--limit", "300", "--origin", "https://shop.example.org"];
    expect(await intake<object>("key", "update", id, ...more)).toEqual({ id });
    expect(await state()).toMatchObject({ name: "Shop", limit: 300, origins: ["https://shop.example.org"] });
    await intake("key", "update", id, "--any-origin");
    expect(await state()).toMatchObject({ name: "Shop", limit: 300, origins: [] });
    for (const wrong of [
      [],
      ["--limit", "0"],
      ["--origin", "shop"],
      ["--any-origin", "--origin", "https://x.example"],
    ]) {
      expect(await ends("key", "update", id, ...wrong)).toMatchObject({ code: 2 });
    }
    expect(await ends("key", "update", crypto.randomUUID(), "--name", "x")).toMatchObject({ code: 1 });
    await intake("key", "pause", id);
    expect([await statusWith(key), await state()]).toMatchObject([429, { state: "paused" }]);
    expect(await ends("key", "pause", id)).toMatchObject({ code: 1 });
    await intake("key", "resume", id);
    expect([await statusWith(key), await state()]).toMatchObject([200, { state: "active" }]);
    expect(await ends("key", "resume", id)).toMatchObject({ code: 1 });
    await intake("key", "revoke", id);
    expect([await statusWith(key), await state()]).toMatchObject([401, { state: "revoked" }]);
    for (const change of ["pause", "resume", "revoke"])
      expect(await ends("key", change, id)).toMatchObject({ code: 1 });
  });

  test("create with origins", async () => {
    const { key } = await intake<Key>(
      ...["key", "create", "--project", made.project.id, "--name", "Pages"],
      ...["--origin", "https://shop.example.org", "--origin", "http://localhost:5173"],
    );
    const from = async (origin: string) => (await submit({ send }, { key, headers: { origin } })).status;
    expect([await from("https://shop.example.org"), await from("https://evil.example")]).toEqual([200, 401]);
  });

  test("list pages by cursor without gap or repeat", async () => {
    const { id } = await newProject();
    for (let i = 0; i < 4; i++) await intake("key", "create", "--project", id, "--name", `Key ${i}`);
    const all = await paged("key", "list", "--project", id, "--limit", "2");
    expect(all.map(({ name }) => name)).toEqual(["App", "Key 0", "Key 1", "Key 2", "Key 3"]);
  });

  test("every change is in the audit log, as the command line's", async () => {
    const { items } = await intake<Page<Record<string, unknown>>>("audit", "list", "--limit", "200");
    const actions = items.filter(({ actor }) => actor === "command line").map(({ action }) => action);
    for (const action of ["key.create", "key.pause", "key.resume", "key.revoke"]) expect(actions).toContain(action);
  });
});

describe("stored reports", () => {
  test("list, newest first, with every filter", async () => {
    const { id, key } = await newProject();
    const value = (n: number, more: object) => ({ n, title: `Report ${n}`, ...more });
    const sent = [
      value(0, { type: "crash", level: "fatal", app: { version: "1.0", environment: "production" } }),
      value(1, { type: "crash", level: "error", app: { version: "1.1", environment: "staging" } }),
      value(2, { type: "feedback", level: "info", user: { id: "u-1", email: "ada@example.org" } }),
      value(3, { type: "feedback", user: { id: "u-2", email: "u-1" } }),
    ];
    const ids: string[] = [];
    for (const one of sent) ids.push((await report(key, one)).eventId);
    const [a, b, c, d] = ids as [string, string, string, string];
    const { items } = await intake<Page<EventSummary>>("event", "list", "--project", id);
    expect(items.map((item) => item.id)).toEqual([d, c, b, a]);
    expect(items[3]).toMatchObject({
      title: "Report 0",
      type: "crash",
      level: "fatal",
      environment: "production",
      release: "1.0",
      repeatCount: 0,
      reportId: null,
    });
    expect(await listed(id, "--type", "crash")).toEqual([b, a]);
    expect(await listed(id, "--level", "fatal")).toEqual([a]);
    expect(await listed(id, "--environment", "staging")).toEqual([b]);
    expect(await listed(id, "--release", "1.0")).toEqual([a]);
    expect(await listed(id, "--user", "u-1")).toEqual([d, c]);
    expect(await listed(id, "--user", "ada@example.org", "--type", "feedback")).toEqual([c]);
    expect(await listed(id, "--type", "Crash")).toEqual([]);
    const at = (which: string) => items.find((item) => item.id === which)?.receivedAt ?? "";
    expect(await listed(id, "--since", at(c))).toEqual([d, c]);
    expect(await listed(id, "--until", at(c))).toEqual([b, a]);
    expect(await listed(id, "--since", "2020-01-01", "--until", "2020-01-02T00:00:00+02:00")).toEqual([]);
    expect(await listed(made.project.id, "--type", "feedback")).toEqual([]);
  });

  test("list pages by cursor without gap or repeat, also among equal times", async () => {
    const { id, key } = await newProject();
    const answers = await Promise.all(Array.from({ length: 23 }, () => report(key)));
    const all = await paged("event", "list", "--project", id, "--limit", "5");
    expect(new Set(all.map((item) => item["id"]))).toEqual(new Set(answers.map(({ eventId }) => eventId)));
    expect(all.length).toBe(23);
    const times = all.map(({ receivedAt }) => String(receivedAt));
    expect(times).toEqual(times.toSorted().reverse());
  });

  test("a person is found by an id of any length, as it was sent", async () => {
    const { id, key } = await newProject();
    const user = `u-${"x".repeat(300)}`;
    const { eventId } = await report(key, { user: { id: user } });
    expect(await listed(id, "--user", user)).toEqual([eventId]);
    expect(await intake<unknown>("event", "delete", "--user", user)).toEqual({ deleted: 1 });
  });

  test("show has what scripts rely on", async () => {
    const { id: projectId, keyId, key } = await newProject();
    const reportId = crypto.randomUUID();
    const value = {
      reportId,
      type: "crash",
      title: "Shown",
      level: "error",
      app: { version: "2.0", environment: "production" },
      occurredAt: "2026-05-01T10:00:00Z",
      sentAt: "2026-05-01T10:00:01Z",
      attachments: [
        { part: "attachment_0", filename: "a.log", contentType: "text/plain", kind: "log" },
        { part: "attachment_9", kind: "screenshot" },
      ],
    };
    const text = JSON.stringify(value);
    const log = attachment("a log", 0, { filename: "a.log", type: "text/plain" });
    const { eventId } = await report(key, text, log);
    await report(key, gzipSync(text), log);
    expect(await intake<ShownEvent>("event", "show", eventId)).toMatchObject({
      id: eventId,
      projectId,
      keyId,
      reportId,
      digest: Bun.SHA256.hash(text, "hex"),
      type: "crash",
      title: "Shown",
      level: "error",
      release: "2.0",
      environment: "production",
      occurredAt: "2026-05-01T10:00:00Z",
      sentAt: "2026-05-01T10:00:01Z",
      receivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      envelopeBytes: text.length,
      userAgent: expect.stringContaining("Bun"),
      sourceIp: "127.0.0.0",
      attachments: [
        {
          index: 0,
          part: "attachment_0",
          filename: "a.log",
          contentType: "text/plain",
          sniffedType: null,
          size: 5,
          sha256: Bun.SHA256.hash("a log", "hex"),
          kind: "log",
          state: "stored",
        },
        { index: 1, part: "attachment_9", size: null, sha256: null, kind: "screenshot", state: "missing" },
      ],
      deliveryCount: 0,
      repeatCount: 1,
      warnings: [{ path: "/attachments/1", code: "attachment_missing" }],
    });
    const { stdout, code } = await run(["event", "show", eventId, "--data", folder]);
    expect([code, stdout.includes("Shown")]).toEqual([0, true]);
  });

  test("envelope and attachment are written byte for byte, to a file and to stdout", async () => {
    const { key } = await newProject();
    const text = `\uFEFF{ "title" : "größe \u{1F41E}" }\n`;
    const bytes = crypto.getRandomValues(new Uint8Array(50_000));
    const { eventId } = await report(key, gzipSync(text), attachment(bytes), attachment("", 1));
    const file = `${outputs}/out`;
    await intake("event", "envelope", eventId, "--output", file);
    expect(readFileSync(file, "utf8")).toBe(text);
    await intake("event", "attachment", eventId, "0", "--output", file);
    expect(readFileSync(file).equals(bytes)).toBe(true);
    await intake("event", "attachment", eventId, "1", "--output", file);
    expect(readFileSync(file).length).toBe(0);
    const plain = await report(key, '{ "title" : "größe" }\n', attachment("to stdout\n"));
    const stdout = async (...args: string[]) => (await run([...args, "--output=-", "--data", folder])).stdout;
    expect(await stdout("event", "envelope", plain.eventId)).toBe('{ "title" : "größe" }\n');
    expect(await stdout("event", "attachment", plain.eventId, "0")).toBe("to stdout\n");
  });

  test("an attachment that is not there is exit 1, and no file is made", async () => {
    const { key } = await newProject();
    const { eventId } = await report(key, { attachments: [{ part: "gone" }] }, attachment("x"));
    const file = `${outputs}/none`;
    for (const n of ["1", "2", "99"]) {
      const { code, lines } = await ends("event", "attachment", eventId, n, "--output", file);
      expect([n, code, lines.length, existsSync(file)]).toEqual([n, 1, 1, false]);
    }
    const { code, lines } = await ends("event", "envelope", eventId, "--output", `${outputs}/no/such/folder/x`);
    expect([code, lines.length, existsSync(`${outputs}/no`)]).toEqual([1, 1, false]);
  });

  test("delete takes the event and its files, and it does not come back", async () => {
    const { id, key } = await newProject();
    const before = await attachmentFiles();
    const value = { reportId: crypto.randomUUID() };
    const { eventId } = await report(key, value, attachment("a"), attachment(new Uint8Array(100_000), 1));
    expect(await attachmentFiles()).toBe(before + 2);
    await intake("event", "delete", eventId);
    expect(await attachmentFiles()).toBe(before);
    expect(await ends("event", "show", eventId)).toMatchObject({ code: 1 });
    expect(await ends("event", "delete", eventId)).toMatchObject({ code: 1 });
    expect(await report(key, value)).toMatchObject({ eventId, idempotent: true });
    expect(await listed(id)).toEqual([]);
  });

  test("delete --user takes every report of a person, by id or e-mail, in all projects or in one", async () => {
    const [one, two] = [await newProject(), await newProject()];
    const before = await attachmentFiles();
    const ada = { id: "ada", email: "ada@example.net" };
    const others: string[] = [];
    for (const { key } of [one, two]) {
      for (let n = 0; n < 60; n++) await report(key, { n, user: ada }, ...(n % 20 ? [] : [attachment("of ada")]));
      await report(key, { user: { email: "ada" } });
      others.push((await report(key, { user: { id: "bob" } }, attachment("of bob"))).eventId);
    }
    expect(await intake<unknown>("event", "delete", "--user", "ada", "--project", one.id)).toEqual({ deleted: 61 });
    expect(await listed(one.id)).toEqual([others[0] ?? ""]);
    expect((await listed(two.id, "--limit", "200")).length).toBe(62);
    expect(await intake<unknown>("event", "delete", "--user", "ada@example.net")).toEqual({ deleted: 60 });
    expect(await intake<unknown>("event", "delete", "--user", "ada")).toEqual({ deleted: 1 });
    expect(await intake<unknown>("event", "delete", "--user", "ada")).toEqual({ deleted: 0 });
    expect(await attachmentFiles()).toBe(before + 2);
    // Who was forgotten is nowhere kept.
    const { stdout } = await run(["audit", "list", "--limit", "200", "--json", "--data", folder]);
    expect(stdout.includes("ada@example.net")).toBe(false);
  });
});

describe("what is let go of", () => {
  test("retention by age, number and bytes holds on a running server, files too", async () => {
    const [old, many, large] = [await newProject(), await newProject(), await newProject()];
    const before = await attachmentFiles();
    const sent: Record<string, string[]> = { old: [], many: [], large: [] };
    for (let n = 0; n < 3; n++) sent["old"]?.push((await report(old.key, { n }, attachment(`old ${n}`))).eventId);
    for (let n = 0; n < 6; n++) sent["many"]?.push((await report(many.key, { n }, attachment(`many ${n}`))).eventId);
    for (let n = 0; n < 4; n++)
      sent["large"]?.push((await report(large.key, { n }, attachment(new Uint8Array(100_000).fill(n)))).eventId);
    expect(await attachmentFiles()).toBe(before + 13);
    const age = "update event set received_at = received_at - 8 * 86400000.0 where id = $1";
    await withStoreOf(folder, (store) => store.write((tx) => tx.run(age, [sent["old"]?.[0] ?? ""])));
    await intake("settings", "set", "retention_days", "7");
    await intake("settings", "set", "retention_events", "4");
    await intake("settings", "set", "retention_bytes", "250000");
    const left = async () => {
      const ids = await Promise.all([old, many, large].map(async ({ id }) => (await listed(id)).reverse()));
      return ids.map(({ length }) => length).join() === "2,4,2" ? ids : undefined;
    };
    expect(await until(left)).toEqual([
      sent["old"]?.slice(1) ?? [],
      sent["many"]?.slice(2) ?? [],
      sent["large"]?.slice(2) ?? [],
    ]);
    for (const name of ["retention_days", "retention_events", "retention_bytes"])
      await intake("settings", "set", name, "");
    // Other projects have let go of theirs too.
    await until(async () => (await attachmentFiles()) === (await attachmentRows()) || undefined);
    // What was let go of is still recognised.
    expect(await report(many.key, { n: 0 }, attachment("many 0"))).toMatchObject({
      eventId: sent["many"]?.[0],
      idempotent: true,
    });
  });

  test("deleting a project takes its events, files and keys along, and doctor is content", async () => {
    const { id, key } = await newProject();
    const before = await attachmentFiles();
    const ids: string[] = [];
    for (let n = 0; n < 60; n++) ids.push((await report(key, { n }, attachment(`content ${n}`))).eventId);
    expect(await attachmentFiles()).toBe(before + 60);
    await intake("project", "delete", id, "--yes");
    expect(await statusWith(key)).toBe(401);
    expect(await attachmentFiles()).toBe(before);
    expect(await ends("event", "show", ids[0] ?? "")).toMatchObject({ code: 1 });
    expect(await ends("event", "list", "--project", id)).toMatchObject({ code: 1 });
    expect(await ends("key", "create", "--project", id, "--name", "Late")).toMatchObject({ code: 1 });
    const keys = await intake<Page<Key>>("key", "list", "--limit", "200");
    expect(keys.items.some((item) => item.key === key)).toBe(false);
    expect(await faultsFound(folder)).toEqual([]);
  });

  test("nothing is left in DATA/uploads", () => {
    expect(readdirSync(`${folder}/uploads`)).toEqual([]);
  });
});

describe("typed wrongly: exit 2, one line, nothing changed", () => {
  const id = absent;
  const wrong: [string, string[]][] = [
    ["no project", ["event", "list"]],
    ["a project that is no UUID", ["event", "list", "--project", "shop"]],
    ["an unknown level", ["event", "list", "--project", id, "--level", "catastrophe"]],
    ["a time that is none", ["event", "list", "--project", id, "--since", "yesterday"]],
    ["a day that does not exist", ["event", "list", "--project", id, "--until", "2026-02-30"]],
    ["a page above 200", ["event", "list", "--project", id, "--limit", "201"]],
    ["a forged cursor", ["event", "list", "--project", "PROJECT", "--cursor", "nonsense"]],
    ["a cursor of another list", ["event", "list", "--project", "PROJECT", "--cursor", "WyJ4Il0"]],
    ["show without ID", ["event", "show"]],
    ["show of no UUID", ["event", "show", "1"]],
    ["an envelope without output", ["event", "envelope", id]],
    ["an attachment without number", ["event", "attachment", id, "--output", "x"]],
    ["an attachment of a wrong number", ["event", "attachment", id, "one", "--output", "x"]],
    ["an attachment of a negative number", ["event", "attachment", id, "-1", "--output", "x"]],
    ["delete of nothing", ["event", "delete"]],
    ["delete of two things", ["event", "delete", id, "--user", "u"]],
    ["delete with a project alone", ["event", "delete", id, "--project", id]],
    ["delete of an empty user", ["event", "delete", "--user", ""]],
    ["a key without project", ["key", "create", "--name", "x"]],
    ["a key without name", ["key", "create", "--project", id]],
    ["a key with a limit of 0", ["key", "create", "--project", id, "--name", "x", "--limit", "0"]],
    ["an origin with a path", ["key", "create", "--project", id, "--name", "x", "--origin", "https://a.example/x"]],
    ["an origin that is none", ["key", "create", "--project", id, "--name", "x", "--origin", "a.example"]],
    ["pause without ID", ["key", "pause"]],
    ["revoke of two", ["key", "revoke", id, id]],
  ];
  for (const [name, args] of wrong) {
    test(name, async () => {
      const { code, stdout, lines } = await ends(...args.map((arg) => (arg === "PROJECT" ? made.project.id : arg)));
      expect({ code, stdout, lines: lines.length }).toEqual({ code: 2, stdout: "", lines: 1 });
      expect(lines[0]).toStartWith("intake: ");
    });
  }

  test("an unknown ID is exit 1 with one line for every command that takes one", async () => {
    for (const args of [
      ["event", "list", "--project", absent],
      ["event", "show", absent],
      ["event", "envelope", absent, "--output", `${outputs}/absent`],
      ["event", "attachment", absent, "0", "--output", `${outputs}/absent`],
      ["event", "delete", absent],
      ["key", "create", "--project", absent, "--name", "x"],
      ["key", "pause", absent],
      ["key", "resume", absent],
      ["key", "revoke", absent],
    ]) {
      const { code, stdout, lines } = await ends(...args);
      expect([args.join(" "), code, stdout, lines.length]).toEqual([args.join(" "), 1, "", 1]);
    }
    expect(existsSync(`${outputs}/absent`)).toBe(false);
  });
});

/** Every item of a list, page by page. */
async function paged(...args: string[]): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page: Page<Record<string, unknown>> = await intake(...args, ...(cursor ? ["--cursor", cursor] : []));
    items.push(...page.items);
    cursor = page.next;
  }
  return items;
}

async function attachmentRows(): Promise<number> {
  const count = "select count(*) as n from attachment where state <> 'missing'";
  return (await withStoreOf(folder, (store) => store.one<{ n: number }>(count)))?.n ?? 0;
}
