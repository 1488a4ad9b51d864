import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { attemptAll, deliveriesOf, subscribe, subscriberView, tell } from "../../../test/support/deliveries.ts";
import { type Installation, install } from "../../../test/support/installation.ts";
import { openSealing } from "../../core/open-sealing.ts";
import { listAudit } from "../../organisation/list-audit.ts";
import { SsrfGuard } from "../addresses/ssrf-guard.ts";
import { requestOf, type SendingRow, sendingColumns } from "../messages/request.ts";
import { type SubscriberUpdate, updateSubscriber } from "./update-subscriber.ts";

let installation: Installation;
beforeEach(async () => {
  installation = await install();
});
afterEach(() => installation.remove());

const origin = "http://127.0.0.1:9";
const headers = { Authorization: "Bearer own-value" };

async function update(id: string, update: SubscriberUpdate) {
  const { ctx, folder } = installation;
  const sealing = await openSealing(folder, ctx.store);
  return updateSubscriber({
    ctx,
    tools: { sealing, addresses: new SsrfGuard({ allow: ["127.0.0.0/8"] }) },
    input: { id, update },
  });
}

/** The subscriber's own headers, as they are sent. */
async function sent(id: string): Promise<string | undefined> {
  const { ctx, folder } = installation;
  const row = await ctx.store.one<SendingRow>(`select s.id, ${sendingColumns} from subscriber s where s.id = $1`, [id]);
  if (!row) throw new Error("there is no such subscriber");
  const sealing = await openSealing(folder, ctx.store);
  return requestOf({ sealing, now: 0 }, row, { id: "message", body: new Uint8Array() }).headers["Authorization"];
}

test("what is given is replaced, what is not stays, and both are in the audit log without paths and values", async () => {
  const { id } = await subscribe(installation, { reportTypes: ["crash"], headers });
  const before = await subscriberView(installation, id);
  await update(id, { url: `${origin}/other?token=secret` });
  expect(await subscriberView(installation, id)).toEqual({ ...before, url: `${origin}/other?token=secret` } as never);
  await update(id, { types: ["report.received", "report.received"], reportTypes: ["hang", "hang", "x".repeat(300)] });
  expect(await subscriberView(installation, id)).toMatchObject({
    types: ["report.received"],
    reportTypes: ["hang", "x".repeat(200)],
    headers: ["Authorization"],
  });
  expect(await sent(id)).toBe("Bearer own-value");
  await update(id, { reportTypes: [], headers: { "X-Team": "team-value" } });
  expect(await subscriberView(installation, id)).toMatchObject({ reportTypes: [], headers: ["X-Team"] });
  expect(await sent(id)).toBeUndefined();
  await update(id, { headers: null });
  expect(await subscriberView(installation, id)).toMatchObject({ headers: [] });
  const { items } = await listAudit({ ctx: installation.ctx, input: { limit: 4 } });
  expect(items.map(({ action, from, to }) => [action, from, to])).toEqual([
    ["subscriber.update", { headers: ["X-Team"] }, { headers: [] }],
    [
      "subscriber.update",
      { reportTypes: ["hang", "x".repeat(200)], headers: ["Authorization"] },
      { reportTypes: [], headers: ["X-Team"] },
    ],
    [
      "subscriber.update",
      { types: ["agent_run.updated"], reportTypes: ["crash"] },
      { types: ["report.received"], reportTypes: ["hang", "x".repeat(200)] },
    ],
    ["subscriber.update", { url: origin }, { url: origin }],
  ]);
  expect(JSON.stringify(items)).not.toContain("value");
});

test("an address that could not be added is refused, and nothing is changed", async () => {
  const { id } = await subscribe(installation);
  const before = await subscriberView(installation, id);
  for (const url of ["nothing", "https://10.0.0.1/", "http://[::1]/", `${origin}/${"x".repeat(2_048)}`]) {
    await expect(update(id, { url, types: ["report.received"] })).rejects.toMatchObject({ code: "invalid_input" });
  }
  const many = Array.from({ length: 51 }, (_, i) => `type ${i}`);
  await expect(update(id, { reportTypes: many })).rejects.toThrow("reportTypes must be a list of at most 50 texts");
  expect(await subscriberView(installation, id)).toEqual(before);
  await expect(update(installation.ctx.newId(), { types: [] })).rejects.toMatchObject({ code: "not_found" });
});

describe("a new address", () => {
  test("begins as if nothing had failed, and gets what waits; the same one changes nothing", async () => {
    const { id } = await subscribe(installation);
    for (let n = 0; n < 5; n++) await tell(installation);
    await attemptAll(installation, "failed");
    await tell(installation);
    expect(await attemptAll(installation, "accepted")).toBe(0);
    await update(id, { url: `${origin}/hook` });
    expect(await subscriberView(installation, id)).toMatchObject({ failures: 5, failingSince: expect.any(String) });
    await update(id, { url: `${origin}/v2` });
    expect(await subscriberView(installation, id)).toMatchObject({ failures: 0, failingSince: null });
    expect(await attemptAll(installation, "accepted")).toBe(1);
    expect((await deliveriesOf(installation, id))[0]).toMatchObject({ state: "delivered" });
  });

  test("of another origin takes no headers along that nobody has given again", async () => {
    const { id } = await subscribe(installation, { headers });
    const elsewhere = "http://127.0.0.2:9/hook";
    await expect(update(id, { url: elsewhere })).rejects.toThrow("made for another origin");
    expect(await subscriberView(installation, id)).toMatchObject({ url: `${origin}/hook` });
    await update(id, { url: elsewhere, headers: { Authorization: "Bearer new" } });
    expect(await sent(id)).toBe("Bearer new");
    await update(id, { url: `${origin}/hook`, headers: null });
    expect(await sent(id)).toBeUndefined();
    await update(id, { url: elsewhere });
  });

  test("leaves a disabled subscriber disabled", async () => {
    const { id } = await subscribe(installation);
    await tell(installation);
    await attemptAll(installation, "gone");
    await update(id, { url: `${origin}/v2` });
    expect(await subscriberView(installation, id)).toMatchObject({ state: "disabled", reason: "answered 410 Gone" });
  });
});
