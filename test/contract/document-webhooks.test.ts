import { describe, expect, test } from "bun:test";
import { messagesOf } from "../../openapi/model/openapi.ts";
import { messageTypes } from "../../server/webhooks/messages/message-types.ts";
import { document, faultsOf } from "../support/documented.ts";

const webhooks = Object.entries(messagesOf(document));

test("the webhooks of the document are those that a subscriber can ask for, and the one that tries it", () => {
  expect(webhooks.map(([type]) => type).sort()).toEqual([...messageTypes, "webhook.test"].sort());
});

describe.each(webhooks)("%s", (type, { requestBody }) => {
  const [[mediaType, media] = []] = Object.entries(requestBody?.content ?? {});

  test("has examples that fit its schema, which names its type", () => {
    expect(mediaType).toBe("application/json");
    const examples = Object.values(media?.examples ?? {}).map(({ value }) => value as { type: string });
    expect(examples.map((example) => example.type)).toEqual([type]);
    for (const example of examples) {
      expect(faultsOf(media?.schema ?? {}, example)).toEqual([]);
      expect(faultsOf(media?.schema ?? {}, { ...example, type: "other" })).not.toEqual([]);
    }
  });
});
