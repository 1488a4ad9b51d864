import { describe, expect, test } from "bun:test";
import { verifyWebhook } from "../../client/src/webhooks.ts";
import { newSecret, signedHeaders } from "../../server/webhooks/messages/signature.ts";
import { installLibraries, libraries } from "./libraries/install.ts";
import { type Message, verdicts } from "./libraries/verdicts.ts";

// Before the messages are made: their times hold for five minutes.
await installLibraries();

const names = Object.keys(libraries) as (keyof typeof libraries)[];
const [secret, previous, nobodys] = [newSecret(), newSecret(), newSecret()];
const id = "0198c0de-0000-7000-8000-000000000001";

function sent(body: string, known = secret, { secrets = [secret], now = Date.now() } = {}): Message {
  const bytes = Buffer.from(body);
  return { secret: known, headers: signedHeaders({ id, body: bytes, secrets }, now), body: bytes };
}

const wide = JSON.stringify({ text: "é ü \u2028 \u0000 😀 <>&".repeat(1_000) });
const right = [
  sent('{"type":"webhook.test"}'),
  sent('{ "n" : 1.0e+2, "a":1,"a":2 }\n'),
  sent(wide),
  sent("{}", secret, { secrets: [secret, previous] }),
  sent("{}", previous, { secrets: [secret, previous] }),
  sent("{}", secret, { now: Date.now() - 290_000 }),
];
const wrong = [
  sent("{}", nobodys),
  sent("{}", nobodys, { secrets: [secret, previous] }),
  { ...sent("{}"), body: Buffer.from("{} ") },
  { ...sent("{}"), headers: { ...sent("{}").headers, "webhook-id": "another" } },
  sent("{}", secret, { now: Date.now() - 310_000 }),
  sent("{}", secret, { now: Date.now() + 310_000 }),
];

describe.each(names)("the library from %s", (name) => {
  test("accepts what we sign, with the old secret and the new one, and refuses what the receiver's is not", async () => {
    const found = await verdicts(name, [...right, ...wrong]);
    expect(found.map(({ accepted }) => accepted)).toEqual([...right.map(() => true), ...wrong.map(() => false)]);
  });

  test("signs as we do", async () => {
    const found = await verdicts(name, right);
    for (const [i, { headers }] of right.entries()) {
      expect(headers["webhook-signature"]?.split(" ")).toContain(found[i]?.signature ?? "");
    }
  });

  test("signs what verifyWebhook of the client accepts", async () => {
    for (const [i, { signature }] of (await verdicts(name, right)).entries()) {
      const { secret, headers, body } = right[i] as Message;
      const message = await verifyWebhook(body, { ...headers, "webhook-signature": signature }, secret);
      expect(message).toEqual(JSON.parse(Buffer.from(body).toString()));
    }
  });
});

test("verifyWebhook of the client thinks as they do", async () => {
  const accepts = ({ secret, headers, body }: Message) =>
    verifyWebhook(body, headers, secret).then(
      () => true,
      () => false,
    );
  expect(await Promise.all([...right, ...wrong].map(accepts))).toEqual([
    ...right.map(() => true),
    ...wrong.map(() => false),
  ]);
});
