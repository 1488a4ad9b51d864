import { afterAll, beforeAll, expect, test } from "bun:test";
import { inTime } from "../../test/support/in-time.ts";
import { attachment, envelope, storeReport } from "../../test/support/ingest.ts";
import { type Installation, install } from "../../test/support/installation.ts";
import { StoreUnavailable } from "../core/store.ts";
import type { Files } from "../store/files.ts";
import { shownAttachmentsOf } from "./attachment-view.ts";

let installation: Installation;
let eventId: string;
beforeAll(async () => {
  installation = await install();
  const report = await storeReport(installation, [envelope(), attachment("one"), attachment("two", 1)]);
  eventId = report.eventId;
});
afterAll(() => installation.remove());

const thereBy = async (find: Files["find"]) => {
  const shown = await shownAttachmentsOf(installation.ctx.store, { find } as Files, eventId);
  return shown.map(({ there }) => there);
};

test("a file that storage does not have is shown as gone", async () => {
  expect(await thereBy(async () => undefined)).toEqual([false, false]);
});

test("while storage is not available, or does not answer, the page of a report opens all the same", async () => {
  const unavailable = async () => {
    throw new StoreUnavailable("away");
  };
  expect(await thereBy(unavailable)).toEqual([true, true]);
  expect(
    await inTime(
      10_000,
      thereBy(() => new Promise(() => {})),
    ),
  ).toEqual([true, true]);
});

test("another failure is not hidden", async () => {
  const broken = async () => {
    throw new Error("a fault of the program");
  };
  await expect(thereBy(broken)).rejects.toThrow("a fault of the program");
});
