import { afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { attemptAll, subscribe, subscriberView, tell } from "../../../test/support/deliveries.ts";
import { type Installation, install } from "../../../test/support/installation.ts";
import { openSealing } from "../../core/open-sealing.ts";
import { codeAt, newSharedSecret } from "../../factors/one-time-code.ts";
import { hasSecondFactor, readOwnFactors } from "../../factors/own-factors.ts";
import { sharedSecretAbout, useCodeStep } from "../../factors/use-code.ts";
import { requestOf, type SendingRow, sendingColumns } from "../messages/request.ts";
import { changeSubscriber } from "./change-subscriber.ts";
import { forgetSecrets } from "./forget-secrets.ts";
import { rotateSecret } from "./rotate-secret.ts";

let installation: Installation;
let path: string;
beforeEach(async () => {
  installation = await install();
  path = `${installation.folder}/secret.key`;
});
afterEach(() => installation.remove());

const sealing = () => openSealing(installation.folder, installation.ctx.store);
const forget = () => forgetSecrets({ ctx: installation.ctx, tools: { folder: installation.folder } });
const enable = (id: string) => changeSubscriber({ ctx: installation.ctx, input: { id, change: "enable" } });

test("after a lost key a new one serves, and each subscriber goes on once it has a new secret", async () => {
  const { ctx } = installation;
  const plain = await subscribe(installation);
  const other = await subscribe(installation, { headers: { "X-Team": "crash" } });
  await tell(installation);
  rmSync(path);
  await expect(sealing()).rejects.toThrow("secret.key is missing");
  expect(await forget()).toEqual({ disabled: 2 });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await subscriberView(installation, plain.id)).toMatchObject({
    state: "disabled",
    reason: "its secret is lost",
    waiting: 1,
  });
  expect(await subscriberView(installation, other.id)).toMatchObject({
    reason: "its secret and the values of its headers are lost",
    headers: ["X-Team"],
  });
  await expect(enable(plain.id)).rejects.toThrow("rotate-secret");
  const { secret, previousUntil } = await rotateSecret({
    ctx,
    tools: { sealing: await sealing() },
    input: { id: plain.id },
  });
  expect([secret === plain.secret, previousUntil]).toEqual([false, null]);
  await enable(plain.id);
  // Waiting deliveries are sent, signed with the new secret alone.
  expect(await attemptAll(installation, "accepted")).toBe(1);
  const row = await ctx.store.one<SendingRow>(`select s.id, ${sendingColumns} from subscriber s where s.id = $1`, [
    plain.id,
  ]);
  if (!row) throw new Error("it is gone");
  const message = { id: ctx.newId(), body: Buffer.from("{}") };
  const { headers } = requestOf({ sealing: await sealing(), now: ctx.now() }, row, message);
  expect(headers["webhook-signature"]?.split(" ")).toHaveLength(1);
});

test("the secret of an authenticator app is lost with the key: its codes count no more, and a second factor stays asked for", async () => {
  const { ctx, made } = installation;
  const { id } = made.admin;
  const secret = newSharedSecret();
  const sealed = (await sealing()).seal(secret, sharedSecretAbout(id));
  const code = codeAt(secret, Math.floor(ctx.now() / 30_000));
  await ctx.store.write((tx) =>
    tx.run("insert into totp (member_id, secret, used_step, created_at) values ($1, $2, 0, 0)", [id, sealed]),
  );
  rmSync(path);
  await forget();
  const fresh = await sealing();
  const used = await ctx.store.write((tx) => useCodeStep(tx, fresh, { memberId: id, code, now: ctx.now() }));
  expect(used).toBeUndefined();
  const factors = await readOwnFactors(ctx.store, id);
  expect([factors.app, hasSecondFactor(factors)]).toEqual(["lost", true]);
});

test.each([
  ["another key", `${"ab".repeat(32)}\n`, "another key"],
  ["a damaged one", "half of", "damaged"],
])("%s is put aside, since it may belong elsewhere", async (_name, content, fault) => {
  await subscribe(installation);
  writeFileSync(path, content);
  await expect(sealing()).rejects.toThrow(fault);
  await forget();
  await sealing();
  const aside = readdirSync(installation.folder).filter((name) => name.startsWith("secret.key.until-"));
  expect(aside.map((name) => readFileSync(`${installation.folder}/${name}`, "utf8"))).toEqual([content]);
});
