import { afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { subscribe, subscriberView } from "../../../test/support/deliveries.ts";
import { type Installation, install } from "../../../test/support/installation.ts";
import { archiveProject } from "../../boards/archive.ts";
import { createProject } from "../../boards/create-project.ts";
import { openSealing } from "../../core/open-sealing.ts";
import { listAudit } from "../../organisation/list-audit.ts";
import { rotateSecret } from "./rotate-secret.ts";

let installation: Installation;
beforeEach(async () => {
  installation = await install();
});
afterEach(() => installation.remove());

const url = "http://127.0.0.1:9/services/T0/secret-path?token=secret-query";

test("secrets and header values stand nowhere in the clear, nor the address's path in the audit log", async () => {
  const { ctx, folder } = installation;
  const headers = { Authorization: "Bearer header-value", "X-Team": "team-value" };
  const { id, secret } = await subscribe(installation, { url, headers });
  const rotated = await rotateSecret({ ctx, tools: { sealing: await openSealing(folder, ctx.store) }, input: { id } });
  expect(await subscriberView(installation, id)).toMatchObject({ url, headers: ["Authorization", "X-Team"] });
  const audit = JSON.stringify(await listAudit({ ctx, input: { limit: 200 } }));
  expect(audit).toContain('"url":"http://127.0.0.1:9"');
  expect(audit).not.toContain("secret-");
  const files = readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`, "latin1"));
  const stored = files.join("\n") + audit;
  for (const one of [secret, rotated.secret]) expect(stored).not.toContain(one.slice("whsec_".length));
  for (const value of ["header-value", "team-value"]) expect(stored).not.toContain(value);
});

test("a value that is moved to another row does not open there", async () => {
  const { ctx, folder } = installation;
  const [one, other] = [await subscribe(installation), await subscribe(installation)];
  const row = await ctx.store.one<{ secret: Uint8Array }>("select secret from subscriber where id = $1", [one.id]);
  const sealing = await openSealing(folder, ctx.store);
  const opened = (id: string) => sealing.open(row?.secret ?? new Uint8Array(), `secret of subscriber ${id}`);
  expect(opened(one.id)).toBe(one.secret);
  expect(() => opened(other.id)).toThrow();
});

test("50 of a project, and 50 of every project beside them", async () => {
  const { ctx } = installation;
  for (let n = 0; n < 50; n++) await subscribe(installation);
  await expect(subscribe(installation)).rejects.toThrow("the project has 50 subscribers already");
  const other = await createProject({ ctx, input: { name: "Other" } });
  await subscribe(installation, { projectId: other.id });
  for (let n = 0; n < 50; n++) await subscribe(installation, { projectId: null });
  await expect(subscribe(installation, { projectId: null })).rejects.toThrow("there are 50 subscribers already");
});

test("a project that is absent or archived takes none", async () => {
  const { ctx, made } = installation;
  await expect(subscribe(installation, { projectId: ctx.newId() })).rejects.toThrow("there is no project");
  await archiveProject({ ctx, input: { id: made.project.id } });
  await expect(subscribe(installation)).rejects.toThrow("archived");
});

test("types are named once, and those of reports are cut as they are in the index", async () => {
  const long = "x".repeat(300);
  const { id } = await subscribe(installation, {
    types: ["report.received", "report.received"],
    reportTypes: ["crash", "crash", long],
  });
  expect(await subscriberView(installation, id)).toMatchObject({
    types: ["report.received"],
    reportTypes: ["crash", "x".repeat(200)],
  });
  const many = (count: number) => Array.from({ length: count }, (_, i) => `type ${i}`);
  await subscribe(installation, { reportTypes: many(50) });
  await expect(subscribe(installation, { reportTypes: many(51) })).rejects.toThrow(
    "reportTypes must be a list of at most 50 texts",
  );
});

test("an address longer than 2,048 characters is refused", async () => {
  const long = (length: number) => "http://127.0.0.1/".padEnd(length, "a");
  await subscribe(installation, { url: long(2_048) });
  await expect(subscribe(installation, { url: long(2_049) })).rejects.toThrow("at most 2048 characters");
});
