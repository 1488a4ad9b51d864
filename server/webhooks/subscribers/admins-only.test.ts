import { afterAll, beforeAll, expect, test } from "bun:test";
import { subscribe, subscriberView } from "../../../test/support/deliveries.ts";
import { type Installation, install } from "../../../test/support/installation.ts";
import type { Actor, Context } from "../../core/context.ts";
import { openSealing } from "../../core/open-sealing.ts";
import { SsrfGuard } from "../addresses/ssrf-guard.ts";
import { listDeliveries } from "../deliveries/list-deliveries.ts";
import { replayDead, replayDelivery } from "../deliveries/replay.ts";
import { Connections } from "../sender/connections.ts";
import { addSubscriber } from "./add-subscriber.ts";
import { changeSubscriber } from "./change-subscriber.ts";
import { forgetSecrets } from "./forget-secrets.ts";
import { listSubscribers } from "./list-subscribers.ts";
import { removeSubscriber } from "./remove-subscriber.ts";
import { rotateSecret } from "./rotate-secret.ts";
import { testSubscriber } from "./test-subscriber.ts";
import { updateSubscriber } from "./update-subscriber.ts";

let installation: Installation;
beforeAll(async () => {
  installation = await install();
});
afterAll(() => installation.remove());

test("members and tokens can neither see subscribers nor change them", async () => {
  const { id } = await subscribe(installation);
  const { folder, made } = installation;
  const sealing = await openSealing(folder, installation.ctx.store);
  const addresses = new SsrfGuard({ allow: ["127.0.0.0/8"] });
  const tools = { sealing, addresses, connections: new Connections(), folder };
  const projectId = made.project.id;
  const verbs = (ctx: Context): Record<string, () => Promise<unknown>> => ({
    add: () =>
      addSubscriber({
        ctx,
        tools,
        input: { projectId, url: "http://127.0.0.1:9/", types: [], reportTypes: [] },
      }),
    list: () => listSubscribers({ ctx, input: { limit: 1 } }),
    update: () => updateSubscriber({ ctx, tools, input: { id, update: { types: [] } } }),
    pause: () => changeSubscriber({ ctx, input: { id, change: "pause" } }),
    remove: () => removeSubscriber({ ctx, input: { id } }),
    rotate: () => rotateSecret({ ctx, tools, input: { id } }),
    test: () => testSubscriber({ ctx, tools, input: { id } }),
    deliveries: () => listDeliveries({ ctx, input: { subscriberId: id, limit: 1 } }),
    replay: () => replayDelivery({ ctx, input: { subscriberId: id, id } }),
    "replay since": () => replayDead({ ctx, input: { subscriberId: id, since: 0 } }),
    forget: () => forgetSecrets({ ctx, tools }),
  });
  const actors: Actor[] = [
    { kind: "member", id: "m", name: "Member", role: "member" },
    { kind: "token", id: "t", name: "Token" },
  ];
  for (const actor of actors) {
    for (const [name, verb] of Object.entries(verbs({ ...installation.ctx, actor }))) {
      const outcome = await verb().then(
        () => "done",
        (error) => error.code,
      );
      expect([actor.kind, name, outcome]).toEqual([actor.kind, name, "permission_denied"]);
    }
  }
  expect(await subscriberView(installation, id)).toMatchObject({ state: "active", reason: null });
  tools.connections.close();
});
