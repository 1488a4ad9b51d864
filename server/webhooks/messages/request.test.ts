import { afterEach, beforeEach, expect, test } from "bun:test";
import { subscribe } from "../../../test/support/deliveries.ts";
import { type Installation, install } from "../../../test/support/installation.ts";
import { openSealing } from "../../core/open-sealing.ts";
import { rotateSecret } from "../subscribers/rotate-secret.ts";
import { requestOf, type SendingRow, sendingColumns } from "./request.ts";

let installation: Installation;
beforeEach(async () => {
  installation = await install();
});
afterEach(() => installation.remove());

const sealing = () => openSealing(installation.folder, installation.ctx.store);
async function headersOf(id: string, now: number) {
  const { store, newId } = installation.ctx;
  const row = await store.one<SendingRow>(`select s.id, ${sendingColumns} from subscriber s where s.id = $1`, [id]);
  if (!row) throw new Error("there is no such subscriber");
  return requestOf({ sealing: await sealing(), now }, row, { id: newId(), body: Buffer.from("{}") }).headers;
}

test("for 24 hours after a rotation two secrets sign, then the new one alone", async () => {
  const { ctx } = installation;
  const { id } = await subscribe(installation);
  await rotateSecret({ ctx, tools: { sealing: await sealing() }, input: { id } });
  const signatures = async (hours: number) =>
    (await headersOf(id, Date.now() + hours * 3_600_000))["webhook-signature"]?.split(" ").length;
  expect([await signatures(0), await signatures(23.9), await signatures(24.1)]).toEqual([2, 2, 1]);
});

test("an own name of the sender replaces ours, in any case", async () => {
  const { id } = await subscribe(installation, { headers: { "User-Agent": "crash-relay/2" } });
  const headers = await headersOf(id, Date.now());
  expect(Object.entries(headers).filter(([name]) => name.toLowerCase() === "user-agent")).toEqual([
    ["User-Agent", "crash-relay/2"],
  ]);
});

test("own headers go along, and replace nothing that the message needs", async () => {
  // Stored headers that only a fault of Intake could contain.
  const headers = { "X-Team": "crash", "content-type": "text/plain", "webhook-id": "another" };
  const { id } = await subscribe(installation, { headers });
  expect(await headersOf(id, Date.now())).toMatchObject({
    "X-Team": "crash",
    "content-type": "application/json",
    "user-agent": expect.stringMatching(/^Intake\/\d/),
    "webhook-id": expect.not.stringContaining("another"),
  });
});
