import { reactNative } from "@intake/client/react-native";
import { equal, ok } from "./check.ts";
import type { Case } from "./env.ts";
import { ask } from "./kit.ts";
import { withFile } from "./native-platform.ts";
import { attachment, envelope, event, reportsOf } from "./stored.ts";

const photo = Uint8Array.from({ length: 3_000 }, (_, index) => (index * 7) % 256);
const text = "Größe 😀";

/** What both kinds of React Native have to do with photos that are given by their URI. */
export const nativeReports: Case[] = [
  [
    "a photograph by its address is stored byte for byte, beside bytes and text",
    (env) =>
      withFile(photo, async (uri) => {
        const { reports } = await reportsOf(env, { native: reactNative });
        const file = { uri, name: "photo.png", type: "image/png" };
        const bytes = { filename: "state.bin", data: photo.slice(0, 300) };
        const log = { filename: "app.log", data: text, contentType: "text/plain", kind: "log" } as const;
        const { eventId, warnings } = await reports.submit({ title: text }, { attachments: [file, bytes, log] });
        equal(warnings, undefined, "warnings");
        const shown = await event(env, eventId);
        equal(
          shown.attachments.map(({ filename, contentType, state }) => [filename, contentType, state]),
          [
            ["photo.png", "image/png", "stored"],
            ["state.bin", "application/octet-stream", "stored"],
            ["app.log", "text/plain", "stored"],
          ],
          "attachments",
        );
        equal(await attachment(env, eventId, 0), [...photo], "photograph");
        equal(await attachment(env, eventId, 1), [...photo.slice(0, 300)], "bytes");
        equal(await attachment(env, eventId, 2), [...new TextEncoder().encode(text)], "text");
        equal((await envelope(env, eventId))["title"], text, "title");
      }),
  ],
  [
    "a captured photograph is delivered, and known when it comes again",
    (env) =>
      withFile(photo, async (uri) => {
        const { reports } = await reportsOf(env, { native: reactNative });
        const report = { occurredAt: "2026-11-21T12:00:00.000Z", title: "x".repeat(3_000) };
        const attachments = [{ uri, name: "photo.png", type: "image/png" }] as const;
        const reportId = reports.capture(report, { attachments: [...attachments] });
        equal(await reports.flush(60_000), true, "flush");
        const { idempotent } = await reports.submit({ ...report, reportId }, { attachments: [...attachments] });
        equal(idempotent, true, "idempotent");
        const { items } = await ask<{ items: { reportId: string }[] }>(env, "/events");
        equal(items.filter((item) => item.reportId === reportId).length, 1, "events");
      }),
  ],
  [
    "a report without files is sent like anywhere else",
    async (env) => {
      const { reports } = await reportsOf(env, { native: reactNative });
      const { eventId } = await reports.submit({ title: text, message: "x".repeat(3_000) });
      equal((await envelope(env, eventId))["title"], text, "title");
      ok((await event(env, eventId)).reportId, "no reportId");
    },
  ],
];
