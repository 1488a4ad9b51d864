import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { attemptAll, deliveriesOf, rowCount, subscribe } from "../../../test/support/deliveries.ts";
import { messageFaults } from "../../../test/support/documented.ts";
import { type Installation, install } from "../../../test/support/installation.ts";
import { openSealing } from "../../core/open-sealing.ts";
import { createToken } from "../../credentials/create-token.ts";
import { type AuditEntry, listAudit } from "../../organisation/list-audit.ts";
import { SsrfGuard } from "../addresses/ssrf-guard.ts";
import { Bodies } from "../messages/bodies.ts";
import { updateSubscriber } from "../subscribers/update-subscriber.ts";

let installation: Installation;
beforeAll(async () => {
  installation = await install();
});
beforeEach(async () => {
  await installation.ctx.store.write(function* (tx) {
    yield* tx.run("delete from subscriber");
    yield* tx.run("delete from message");
  });
});
afterAll(() => installation.remove());

const newToken = (name = "CI") =>
  createToken({ ctx: installation.ctx, input: { name, reach: "all", scopes: ["tickets:write"] } });
const addForAudit = () => subscribe(installation, { projectId: null, types: ["audit.recorded"] });

async function messages() {
  const { store } = installation.ctx;
  const rows = await store.all<{ id: string }>("select id from message order by id");
  const bodies = await Promise.all(rows.map(({ id }) => new Bodies(store).of(id)));
  return bodies.map((body) => JSON.parse(Buffer.from(body ?? []).toString()));
}

test("a subscriber of every project that names the type is told of each entry, as the document says", async () => {
  const { id } = await addForAudit();
  const token = await newToken();
  const told = await messages();
  expect(told.map(({ data }) => data.action)).toEqual(["subscriber.add", "token.create"]);
  for (const message of told) expect(messageFaults("audit.recorded", message)).toEqual([]);
  const { items } = await listAudit({ ctx: installation.ctx, input: { limit: 1 } });
  const { objectName, ...entry } = items[0] as AuditEntry;
  expect(told[1]).toEqual({ type: "audit.recorded", timestamp: entry.at, data: entry });
  expect(JSON.stringify(told)).not.toContain(token.token);
  expect(await deliveriesOf(installation, id)).toMatchObject([{ state: "waiting" }, { state: "waiting" }]);
});

test("nothing is stored for subscribers that did not ask for it", async () => {
  await subscribe(installation, { projectId: null });
  await newToken();
  expect(await rowCount(installation, "message")).toBe(0);
});

test("an act that is undone is told to nobody", async () => {
  await addForAudit();
  const { ctx } = installation;
  const id = ctx.newId();
  const undone = ctx.store.write(function* (tx) {
    yield* ctx.audited(tx, { id, at: 0, actor: ctx.actor, action: "a.b", object: "c", network: "", requestId: "" });
    throw new Error("undone");
  });
  await expect(undone).rejects.toThrow();
  expect((await messages()).map(({ data }) => data.action)).toEqual(["subscriber.add"]);
});

test("deliveries write no entries, so that messages make no further ones", async () => {
  await addForAudit();
  await newToken();
  const before = await listAudit({ ctx: installation.ctx, input: { limit: 200 } });
  expect(await attemptAll(installation, "gone")).toBe(2);
  expect(await listAudit({ ctx: installation.ctx, input: { limit: 200 } })).toEqual(before);
  expect(await rowCount(installation, "message")).toBe(2);
});

test("a subscriber of one project cannot ask for it, when it is added or later", async () => {
  const { ctx, folder } = installation;
  const refused = expect.objectContaining({ code: "invalid_input" });
  await expect(subscribe(installation, { types: ["report.received", "audit.recorded"] })).rejects.toEqual(refused);
  const { id } = await subscribe(installation);
  const tools = { sealing: await openSealing(folder, ctx.store), addresses: new SsrfGuard({ allow: [] }) };
  await expect(updateSubscriber({ ctx, tools, input: { id, update: { types: ["audit.recorded"] } } })).rejects.toEqual(
    refused,
  );
});
