import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { verifyWebhook } from "../../client/src/webhooks.ts";
import { version } from "../../package.json";
import { openSealing } from "../../server/core/open-sealing.ts";
import { deleteEvent } from "../../server/ingest/delete-events.ts";
import { rotateSecret } from "../../server/webhooks/subscribers/rotate-secret.ts";
import { runJson } from "../support/binary.ts";
import { deliveriesOf } from "../support/deliveries.ts";
import { messageFaults } from "../support/documented.ts";
import { attachment, envelope, eventTools } from "../support/ingest.ts";
import { Receiver } from "../support/receiver.ts";
import { installLibraries, libraries } from "./libraries/install.ts";
import { verdicts } from "./libraries/verdicts.ts";
import { requestOf, WebhooksServer } from "./webhooks-server.ts";

// A test that is late would take the server of all others along.
setDefaultTimeout(180_000);

let server: WebhooksServer;
let receiver: Receiver;
beforeAll(async () => {
  installLibraries();
  server = await WebhooksServer.start();
}, 300_000);
beforeEach(async () => {
  receiver = await Receiver.listen();
});
afterEach(async () => {
  await server.forgetSubscribers();
  await receiver.close();
});
afterAll(() => server?.remove(), 180_000);

const names = Object.keys(libraries) as (keyof typeof libraries)[];

test("a subscriber that was added on the command line is told of a report as the contract says", async () => {
  const { folder, made } = server.installation;
  const words = ["--project", made.project.id, "--url", receiver.url(), "--webhook-allow", "127.0.0.0/8"];
  const added = await runJson<{ id: string; secret: string }>(["subscriber", "add", "--data", folder, ...words]);
  const value = {
    reportId: crypto.randomUUID(),
    type: "crash",
    title: "It fell",
    level: "fatal",
    occurredAt: "2026-05-01T10:00:00+02:00",
    attachments: [{ part: "attachment_0" }, { part: "absent" }],
  };
  const parts = [envelope(value), attachment("hello", 0, { type: "text/plain" })];
  const { warnings, ...answer } = await server.report(...parts);
  expect(answer).toMatchObject({ deliveryCount: 1, idempotent: false });

  const request = await requestOf(receiver, 1);
  const message = await verifyWebhook(request.body, request.headers, added.secret);
  if (message.type !== "report.received") throw new Error(`${message.type} has come`);
  expect(messageFaults("report.received", message)).toEqual([]);
  const { receivedAt, attachments } = message.data;
  expect(message).toEqual({
    type: "report.received",
    timestamp: receivedAt,
    data: {
      eventId: answer.eventId,
      projectId: made.project.id,
      reportType: "crash",
      title: "It fell",
      level: "fatal",
      occurredAt: "2026-05-01T10:00:00+02:00",
      receivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      url: `${server.url}/reports/${answer.eventId}`,
      attachments: [
        {
          id: expect.any(String),
          filename: "file-0",
          contentType: "text/plain",
          size: 5,
          sha256: Bun.SHA256.hash("hello", "hex"),
          url: expect.stringMatching(new RegExp(`^${server.url}/files/${answer.eventId}/0/`)),
        },
      ],
      envelope: value,
    },
  });
  expect(await (await fetch(attachments[0]?.url ?? "")).text()).toBe("hello");
  expect(request.line).toBe("POST /hook HTTP/1.1");
  expect(Object.fromEntries(request.headers)).toEqual({
    host: new URL(receiver.url()).host,
    connection: "keep-alive",
    "content-type": "application/json",
    "content-length": String(request.body.length),
    "accept-encoding": "identity",
    "user-agent": `Intake/${version}`,
    "webhook-id": answer.eventId,
    "webhook-timestamp": expect.stringMatching(/^\d{10}$/),
    "webhook-signature": expect.stringMatching(/^v1,[\w+/]{43}=$/),
  });

  // A repeat is answered alike and told to nobody.
  expect(await server.report(...parts)).toEqual({ ...answer, idempotent: true });
  expect(await deliveriesOf(server.installation, added.id)).toHaveLength(1);
});

test("a report that nobody wants to be told of is stored, and no message is", async () => {
  await server.subscriber(receiver.url(), { reportTypes: ["crash"] });
  const { eventId, deliveryCount } = await server.report(envelope({ type: "feedback" }));
  expect(deliveryCount).toBe(0);
  expect(await server.installation.ctx.store.all("select 1 from message where id = $1", [eventId])).toEqual([]);
});

test("several subscribers are told the same bytes, each signed with its own secret", async () => {
  const subscribers = [
    await server.subscriber(`${receiver.url()}/0`),
    await server.subscriber(`${receiver.url()}/1`, { projectId: null }),
    await server.subscriber(`${receiver.url()}/2`, { headers: { Authorization: "Bearer own", "X-Team": "crash" } }),
  ];
  expect(await server.report()).toMatchObject({ deliveryCount: 3 });
  await requestOf(receiver, 3);
  const requests = receiver.requests.toSorted((a, b) => (a.line < b.line ? -1 : 1));
  for (const [i, { headers, body }] of requests.entries()) {
    await verifyWebhook(body, headers, subscribers[i]?.secret ?? "");
    expect(body.equals(requests[0]?.body ?? Buffer.alloc(0))).toBe(true);
    expect(headers.get("webhook-id")).toBe(requests[0]?.headers.get("webhook-id") ?? "");
  }
  expect(requests.map(({ headers }) => [headers.get("authorization"), headers.get("x-team")])).toEqual([
    [null, null],
    [null, null],
    ["Bearer own", "crash"],
  ]);
});

describe("an envelope", () => {
  const ofLength = (bytes: number, fill: string) => `{"a": "${fill.repeat(bytes - 9)}"}`;
  const odd = (n: number) => `{ "n" : 1.0e+2, "big": 12345678901234567890, "a":1, "a":${n}, "u": "\\u00e9é" }\r\n`;

  test.each<[string, (string | Uint8Array)[], string]>([
    ["as it is", [odd(1)], odd(1)],
    ["packed", [gzipSync(odd(2))], odd(2)],
    ["packed in two members", [Buffer.concat([gzipSync('{"two":'), gzipSync('"members"}')])], '{"two":"members"}'],
    ["with a mark at its beginning", [`\ufeff${odd(3)}`], odd(3)],
    ["with a mark, packed", [gzipSync(`\ufeff${odd(4)}`)], odd(4)],
    ["of 20,000 bytes", [ofLength(20_000, "x")], ofLength(20_000, "x")],
    ["of 20,000 bytes, packed", [gzipSync(ofLength(20_000, "y"))], ofLength(20_000, "y")],
  ])("%s goes inline as its own text", async (_name, [sent = ""], text) => {
    const { secret } = await server.subscriber(receiver.url());
    await server.report(envelope(sent));
    const { headers, body } = await requestOf(receiver, 1);
    expect(body.toString()).toEndWith(`,"envelope":${text}}}`);
    expect(await verifyWebhook(body, headers, secret)).toMatchObject({ data: { envelope: JSON.parse(text) } });
  });

  test.each([
    ["as it is", (text: string) => text],
    ["packed", (text: string) => gzipSync(text)],
  ])("of more goes by a link that leads to its bytes until it is deleted: %s", async (name, form) => {
    await server.subscriber(receiver.url());
    const text = `\ufeff${ofLength(20_001, name)}`;
    const { eventId } = await server.report(envelope(form(text)));
    const message = JSON.parse((await requestOf(receiver, 1)).body.toString());
    const { data } = message;
    expect(messageFaults("report.received", message)).toEqual([]);
    expect(data).not.toHaveProperty("envelope");
    expect(Buffer.from(await (await fetch(data.envelopeUrl)).bytes()).toString()).toBe(text);
    const { ctx } = server.installation;
    await deleteEvent({ ctx, tools: eventTools(server.installation), input: { id: eventId } });
    expect((await fetch(data.envelopeUrl)).status).toBe(404);
  });
});

test("the official libraries accept what is sent, after a rotation with the old secret and with the new one", async () => {
  const { installation } = server;
  const { ctx, folder } = installation;
  const { id, secret: old } = await server.subscriber(receiver.url());
  await server.report(envelope({ text: "é ü \u2028 😀" }));
  const before = await requestOf(receiver, 1);
  const tools = { sealing: await openSealing(folder, ctx.store) };
  const { secret } = await rotateSecret({ ctx, tools, input: { id } });
  await server.report(envelope({ text: "x".repeat(19_000) }));
  const after = await requestOf(receiver, 2);
  const cases = [
    [before, old, true],
    [before, secret, false],
    [after, old, true],
    [after, secret, true],
  ] as const;
  const messages = cases.map(([{ headers, body }, secret]) => ({ secret, body, headers: Object.fromEntries(headers) }));
  for (const name of names) {
    const found = await verdicts(name, messages);
    expect([name, ...found.map(({ accepted }) => accepted)]).toEqual([
      name,
      ...cases.map(([, , accepted]) => accepted),
    ]);
  }
});
