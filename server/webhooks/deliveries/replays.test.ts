import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Installation, install } from "../../../test/support/installation.ts";
import { until } from "../../../test/support/until.ts";
import { Replays } from "./replays.ts";

let installation: Installation;
beforeEach(async () => {
  installation = await install();
});
afterEach(() => installation.remove());

test("of those that have ended, the last two hundred are remembered", async () => {
  const { ctx } = installation;
  const replays = new Replays();
  const stateOf = (subscriberId: string) => replays.progressOf({ ctx, input: { subscriberId } })?.state;
  const start = (n: number) => replays.start({ ctx, input: { subscriberId: `removed-${n}`, since: 0 } });
  for (let n = 0; n < 210; n++) start(n);
  // Every running replay is listed, however many there are.
  expect(stateOf("removed-0")).toBe("running");
  for (let n = 0; n < 210; n++) await until(() => stateOf(`removed-${n}`) !== "running" || undefined);
  start(300);
  expect(stateOf("removed-0")).toBeUndefined();
  expect(stateOf("removed-9")).toBeUndefined();
  expect(stateOf("removed-10")).toBe("failed");
  expect(stateOf("removed-300")).toBe("running");
});
