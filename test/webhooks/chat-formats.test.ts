import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { envelope } from "../support/ingest.ts";
import { answering, type Behaviour, Receiver } from "../support/receiver.ts";
import { bytesMax, type Chat, chatSchemas, chats } from "./chat-schemas.ts";
import { inOrder, requestOf, WebhooksServer } from "./webhooks-server.ts";

// A test that is late would take the server of all others along.
setDefaultTimeout(180_000);

let server: WebhooksServer;
beforeAll(async () => {
  server = await WebhooksServer.start();
}, 180_000);
afterAll(() => server?.remove(), 180_000);

/** What each service answers to a message that it takes. */
const taken: Record<Chat, Behaviour> = {
  slack: answering("200 OK", ["content-type: text/html"], "ok"),
  discord: (socket) => socket.write("HTTP/1.1 204 No Content\r\n\r\n"),
  teams: answering("202 Accepted", [], ""),
  matrix: answering("200 OK", ["content-type: application/json"], '{"ok":true}'),
};

/** Mentions, links and markup of all of them, a line break, and a character that turns the direction of text. */
const title =
  "<!channel> <@U1> @everyone @room <at>all</at> [x](https://evil.example/a) <a href='https://evil.example'>x</a> *b* `c`\n\u202e&|";

describe.each(chats)("a subscriber with the format %s", (format) => {
  test("is sent a report as the service documents it, and tried again after its 429", async () => {
    const later = answering("429 Too Many Requests", ["retry-after: 0"], '{"retry_after": 0.2}');
    const receiver = await Receiver.listen({ behave: inOrder(later, taken[format]) });
    const { id } = await server.subscriber(receiver.url(), { format });
    await server.report(
      envelope({ reportId: crypto.randomUUID(), title, level: "fatal", type: "crash", message: "s3cret" }),
    );
    await server.untilState(id, "delivered", 2);

    const sent = [(await requestOf(receiver, 1)).body, (await requestOf(receiver, 2)).body].map(String);
    expect(sent[1]).toBe(sent[0] ?? "");
    const text = sent[0] ?? "";
    const body = JSON.parse(text);
    expect([...Value.Errors(chatSchemas[format], body)]).toEqual([]);
    expect(Buffer.byteLength(text)).toBeLessThan(bytesMax[format]);
    expect(text).toContain("fatal");
    expect(text).toContain("Project");
    expect(text).toContain(`${server.url}/reports/`);
    // Nothing of the envelope but what is shown of it, and no link that reads a file.
    expect(text).not.toMatch(/s3cret|\/files\//);
    expectHarmless(format, body);
    await receiver.close();
    await server.forgetSubscribers();
  });

  test("is sent the longest title within the limits", async () => {
    const receiver = await Receiver.listen({ behave: taken[format] });
    const { id } = await server.subscriber(receiver.url(), { format });
    const long = { title: "_😀".repeat(3_000), type: "*".repeat(5_000), level: "error" };
    await server.report(envelope({ reportId: crypto.randomUUID(), ...long }));
    await server.untilState(id, "delivered", 1);
    const { body } = await requestOf(receiver, 1);
    expect([...Value.Errors(chatSchemas[format], JSON.parse(`${body}`))]).toEqual([]);
    expect(`${body}`.isWellFormed()).toBe(true);
    await receiver.close();
    await server.forgetSubscribers();
  });
});

/** Nothing that a stranger wrote calls anybody, is a link or is markup, by the rules of each service. */
function expectHarmless(format: Chat, body: unknown) {
  const text = JSON.stringify(body);
  // A right-to-left override is named, a line break is a blank.
  expect(text).toMatch(/\[U\+202E/);
  expect(text).not.toContain("\u202e");
  if (format === "slack") return expectSlack(body as SlackBody);
  // The zero-width space that stands in every link and behind every @ of strangers.
  expect(text).not.toMatch(/@(everyone|room)|https:\/\/evil/);
  if (format === "discord") expectEscaped(body as DiscordBody);
  if (format === "matrix") expect((body as { html: string }).html).not.toMatch(/<at>|<!channel>|<a href='/);
}

interface DiscordBody {
  embeds: { title: string; fields: { value: string }[] }[];
}

/** Every character with a meaning in Markdown has a backslash before it. */
function expectEscaped({ embeds }: DiscordBody) {
  for (const { title, fields } of embeds) {
    for (const text of [title, ...fields.map(({ value }) => value)]) {
      expect(text.replaceAll(/\\./g, "")).not.toMatch(/[<>[\]()*_~`|]/);
    }
  }
}

interface SlackBody {
  text: string;
  blocks: { text?: { type: string; text: string }; fields?: { type: string; text: string }[] }[];
}

/** Markup is known in objects of type mrkdwn alone, and in `text`. */
function expectSlack({ text, blocks }: SlackBody) {
  expect(text).not.toMatch(/<|@everyone|https:\/\/evil/);
  const objects = blocks.flatMap((block) => [...(block.text ? [block.text] : []), ...(block.fields ?? [])]);
  const marked = objects.filter(({ type }) => type === "mrkdwn");
  expect(marked.map((one) => one.text)).toEqual([expect.stringMatching(/^<http:\/\/[^|>]+\|Open the report>$/)]);
}
