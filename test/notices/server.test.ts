import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { runJson } from "../support/binary.ts";
import { envelope } from "../support/ingest.ts";
import { answering, Receiver } from "../support/receiver.ts";
import { until } from "../support/until.ts";
import { chatSchemas } from "../webhooks/chat-schemas.ts";
import { WebhooksServer } from "../webhooks/webhooks-server.ts";

// A test that is late would take the server along.
setDefaultTimeout(180_000);

let server: WebhooksServer;
let chat: Receiver;
let gone: Receiver;
beforeAll(async () => {
  server = await WebhooksServer.start();
  chat = await Receiver.listen({ behave: answering("200 OK", ["content-type: text/html"], "ok") });
  gone = await Receiver.listen({ behave: answering("410 Gone", [], "") });
}, 180_000);
afterAll(async () => {
  await server?.remove();
  await Promise.all([chat?.close(), gone?.close()]);
}, 180_000);

test("a subscriber that is disabled is told to a chat once, by a server that is killed and started again, and listed by the command", async () => {
  const types = ["notice.raised", "notice.cleared"] as const;
  const told = await server.subscriber(chat.url(), { projectId: null, types: [...types], format: "slack" });
  const { id } = await server.subscriber(gone.url(), { name: "triage" });
  await server.report(envelope({ reportId: crypto.randomUUID(), title: "It was slow", level: "error" }));
  await chat.until(({ requests }) => requests.length === 1);
  const body = JSON.parse(`${chat.requests[0]?.body}`);
  expect([...Value.Errors(chatSchemas.slack, body)]).toEqual([]);
  expect(JSON.stringify(body)).toContain("triage");
  expect(JSON.stringify(body)).toContain(`${server.url}/subscribers/${id}`);

  // A server that is killed before it has written down the answer sends the message again.
  await server.untilState(told.id, "delivered", 1);
  // A second cause of another rule shows that the server has looked again since.
  await server.end("SIGKILL");
  await server.startAgain();
  await server.report(envelope({ reportId: crypto.randomUUID(), title: "It fell", level: "fatal" }));
  await chat.until(({ requests }) => requests.length === 2);
  const { folder } = server.installation;
  const list = await until(async () => {
    const found = await runJson<{ items: { rule: string; times: number }[] }>(["notice", "list", "--data", folder]);
    return found.items.length === 2 ? found.items : undefined;
  });
  expect(list.map(({ rule, times }) => [rule, times])).toEqual([
    ["fatal_new", 1],
    ["subscriber_disabled", 1],
  ]);
  expect(chat.requests.map((request) => `${request.body}`.includes("It fell"))).toEqual([false, true]);
});
