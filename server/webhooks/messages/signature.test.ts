import { expect, test } from "bun:test";
import { newSecret, signedHeaders } from "./signature.ts";

test("the answer that the reference libraries of Standard Webhooks know", () => {
  const headers = signedHeaders(
    {
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
      body: Buffer.from('{"test": 2432232314}'),
      secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    },
    1_614_265_330_999,
  );
  expect(headers).toEqual({
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("a secret has 32 bytes of chance, in base64", () => {
  const secrets = Array.from({ length: 100 }, newSecret);
  expect(new Set(secrets).size).toBe(100);
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
    expect(Buffer.from(secret.slice(6), "base64").length).toBe(32);
  }
});

test("each secret signs, in their order, with a blank between", () => {
  const [one, other] = [newSecret(), newSecret()];
  const signed = (...secrets: string[]) =>
    signedHeaders({ id: "1", body: Buffer.from("{}"), secrets }, 0)["webhook-signature"];
  expect(signed(one, other)).toBe(`${signed(one)} ${signed(other)}`);
  expect(signed(one)).not.toBe(signed(other));
});
