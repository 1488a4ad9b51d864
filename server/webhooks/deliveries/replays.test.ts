import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Installation, install } from "../../../test/support/installation.ts";
import { until } from "../../../test/support/until.ts";
import { OwnReplayJobs } from "./replay-jobs.ts";
import { Replays } from "./replays.ts";

let installation: Installation;
beforeEach(async () => {
  installation = await install();
});
afterEach(() => installation.remove());

test("of those that have ended, the last two hundred are remembered", async () => {
  const { ctx } = installation;
  const replays = new Replays(new OwnReplayJobs());
  const stateOf = async (subscriberId: string) => (await replays.progressOf({ ctx, input: { subscriberId } }))?.state;
  const start = (n: number) => replays.start({ ctx, input: { subscriberId: `removed-${n}`, since: 0 } });
  await Promise.all(Array.from({ length: 210 }, (_, n) => start(n)));
  // Every running replay is listed, however many there are.
  expect(await stateOf("removed-0")).toBe("running");
  for (let n = 0; n < 210; n++) await until(async () => (await stateOf(`removed-${n}`)) !== "running" || undefined);
  await start(300);
  expect(await stateOf("removed-0")).toBeUndefined();
  expect(await stateOf("removed-9")).toBeUndefined();
  expect(await stateOf("removed-10")).toBe("failed");
  expect(await stateOf("removed-300")).toBe("running");
});
