import { accept, html, json, step } from "../fault-script.ts";
import { equal, ok } from "./check.ts";
import type { Case } from "./env.ts";
import { envelopeOf, partsOf } from "./form.ts";
import { failure, faultyReports } from "./kit.ts";
import { sameBytes } from "./tries.ts";

const report = { type: "crash", title: "Boom" };
const attachments = [
  { filename: "screen.png", data: Uint8Array.of(0, 13, 10, 255), contentType: "image/png" },
] as const;

export const reportForm: Case[] = [
  [
    "over the wire every part has a file name and a type, and a large envelope is packed",
    async (env) => {
      const { reports, record } = await faultyReports(env, [accept]);
      const nasty = 'a"b\r\nContent-Type: text/html\r\n\r\n<script>\\../x;y';
      await reports.submit(report, {
        attachments: [{ filename: nasty, data: "x", contentType: "text/plain\r\nx: y" }, attachments[0]],
      });
      await reports.submit({ message: "x".repeat(5_000) });
      const { requests } = await record();
      const [small, large] = requests;
      ok(small && large, "not two requests");
      const [envelope, first, second, ...more] = partsOf(small);
      equal(
        [envelope?.name, envelope?.filename, envelope?.contentType],
        ["envelope", "envelope.json", "application/json"],
      );
      equal([first?.name, first?.body], ["attachment_0", "x"]);
      equal([second?.name, second?.filename, second?.body], ["attachment_1", "screen.png", "\x00\r\n\xff"]);
      equal([more.length, first?.head.length], [0, 2], "further parts, lines of the head");
      const [packed] = partsOf(large);
      equal(
        [packed?.filename, packed?.contentType, packed?.body.slice(0, 2)],
        ["envelope.json.gz", "application/gzip", "\x1f\x8b"],
      );
      equal((await envelopeOf(large))["message"], "x".repeat(5_000), "message");
      for (const { headers } of requests) {
        equal([headers["authorization"], headers["content-encoding"]], [`Bearer ${env.key}`, undefined]);
        ok(/^@intake\/client\/\d/.test(headers["x-intake-sdk"] ?? ""), `x-intake-sdk: ${headers["x-intake-sdk"]}`);
      }
    },
  ],
  [
    "an attachment that looks like the end of the form is content all the same",
    async (env) => {
      const { reports, record } = await faultyReports(env, [step(json(400, {})), accept]);
      const reportId = crypto.randomUUID();
      await failure(reports.submit({ reportId }));
      const [probe] = (await record()).requests;
      const boundary = /boundary="?([^";]+)/.exec(probe?.headers["content-type"] ?? "")?.[1] ?? "";
      const data = `before\r\n--${boundary}--\r\nafter`;
      await reports.submit({ reportId }, { attachments: [{ filename: "har", data }] });
      const [, request] = (await record()).requests;
      equal(request && partsOf(request)[1]?.body, data, "the attachment");
    },
  ],
  [
    "a stream is read once, and every try sends what it held",
    async (env) => {
      const { reports, record } = await faultyReports(env, [step(html(503)), accept]);
      let pulls = 0;
      const data = new ReadableStream<Uint8Array>({
        pull(controller) {
          pulls++;
          if (pulls > 3) controller.close();
          else controller.enqueue(Uint8Array.of(pulls, 0, 13));
        },
      });
      await reports.submit(report, { attachments: [{ filename: "stream", data }] });
      const { requests } = await record();
      sameBytes(requests, 2);
      equal(requests[1] && partsOf(requests[1])[1]?.body, "\x01\x00\r\x02\x00\r\x03\x00\r", "the stream");
    },
  ],
  [
    "a stream that breaks costs the attachment, not the report",
    async (env) => {
      const { reports, record } = await faultyReports(env, [accept]);
      const data = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("disk")) });
      await reports.submit(report, { attachments: [{ filename: "stream", data }, attachments[0]] });
      const [request] = (await record()).requests;
      ok(request, "no request");
      const { dropped, attachments: listed } = await envelopeOf(request);
      equal(dropped, [{ filename: "stream", reason: "unreadable" }], "dropped");
      equal(
        listed?.map(({ filename }) => filename),
        ["screen.png"],
        "attachments",
      );
    },
  ],
  [
    "a report and its bytes are taken as they are at the call",
    async (env) => {
      const { reports, record } = await faultyReports(env, [step(html(503)), accept]);
      const given: { title: string } = { title: "as it was" };
      const [view, buffer] = [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5, 6)];
      const submitting = reports.submit(given, {
        attachments: [
          { filename: "view", data: view },
          { filename: "buffer", data: buffer.buffer },
        ],
      });
      given.title = "changed";
      view.fill(0);
      buffer.fill(0);
      await submitting;
      const { requests } = await record();
      sameBytes(requests, 2);
      const [first] = requests;
      equal(first && (await envelopeOf(first)).title, "as it was", "title");
      equal(
        first &&
          partsOf(first)
            .slice(1)
            .map(({ body }) => body),
        ["\x01\x02\x03", "\x04\x05\x06"],
        "attachments",
      );
    },
  ],
];
