import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { deliveriesOf, rowCount, subscribe } from "../../../test/support/deliveries.ts";
import { type Installation, install } from "../../../test/support/installation.ts";
import { createProject } from "../../boards/create-project.ts";
import type { SubscriberInput } from "../subscribers/add-subscriber.ts";
import { changeSubscriber } from "../subscribers/change-subscriber.ts";
import { enqueueStep, subscribersStep, type Topic } from "./enqueue.ts";

let installation: Installation;
beforeAll(async () => {
  installation = await install();
});
beforeEach(() => installation.ctx.store.write((tx) => tx.run("delete from subscriber")));
afterAll(() => installation.remove());

const wanting = (topic: Partial<Topic> = {}) => {
  const whole: Topic = { projectId: installation.made.project.id, type: "report.received", reportType: null, ...topic };
  return installation.ctx.store.write((tx) => subscribersStep(tx, whole));
};
const add = async (input: Partial<SubscriberInput> = {}) =>
  (await subscribe(installation, { types: ["report.received"], ...input })).id;

describe("told is who", () => {
  test("belongs to the project or to all of them", async () => {
    const other = await createProject({ ctx: installation.ctx, input: { name: "Other" } });
    const [own, others, every] = [await add(), await add({ projectId: other.id }), await add({ projectId: null })];
    expect(new Set(await wanting())).toEqual(new Set([own, every]));
    expect(new Set(await wanting({ projectId: other.id }))).toEqual(new Set([others, every]));
  });

  test("named the type of message", async () => {
    const reports = await add();
    const runs = await add({ types: ["agent_run.updated"] });
    const both = await add({ types: ["report.received", "agent_run.updated"] });
    expect(new Set(await wanting())).toEqual(new Set([reports, both]));
    expect(new Set(await wanting({ type: "agent_run.updated" }))).toEqual(new Set([runs, both]));
  });

  test("named the type of report, wholly and in the same case, or named none", async () => {
    const [any, crash] = [await add(), await add({ reportTypes: ["crash", "hang"] })];
    expect(new Set(await wanting({ reportType: "crash" }))).toEqual(new Set([any, crash]));
    for (const reportType of ["Crash", "cras", "crash,hang", '"crash"', "", null]) {
      expect(await wanting({ reportType })).toEqual([any]);
    }
  });

  test("named types of reports and other messages: those are not meant", async () => {
    const id = await add({ types: ["report.received", "agent_run.updated"], reportTypes: ["crash"] });
    expect(await wanting({ type: "agent_run.updated" })).toEqual([id]);
    expect(await wanting({ reportType: "hang" })).toEqual([]);
  });

  test("is active or paused, and not disabled", async () => {
    const { ctx } = installation;
    const [active, paused, disabled] = [await add(), await add(), await add()];
    await changeSubscriber({ ctx, input: { id: paused, change: "pause" } });
    await ctx.store.write((tx) => tx.run("update subscriber set state = 'disabled' where id = $1", [disabled]));
    expect(new Set(await wanting())).toEqual(new Set([active, paused]));
  });
});

test("one message, and for each subscriber a delivery that is due at once", async () => {
  const { ctx } = installation;
  const ids = [await add(), await add()];
  const message = { id: ctx.newId(), eventId: null, type: "report.received", head: "{}", tail: null } as const;
  const tools = { now: 1_000, newId: ctx.newId };
  await ctx.store.write((tx) => enqueueStep(tx, message, ids, tools));
  expect(await rowCount(installation, "message")).toBe(1);
  for (const id of ids) {
    const moment = new Date(1_000).toISOString();
    expect(await deliveriesOf(installation, id)).toMatchObject([
      { state: "waiting", createdAt: moment, nextAttemptAt: moment, attempts: [] },
    ]);
  }
});
