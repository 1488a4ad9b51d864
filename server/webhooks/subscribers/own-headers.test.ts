import { expect, test } from "bun:test";
import { parseOwnHeaders } from "./own-headers.ts";

const refusal = (text: string) => {
  try {
    return `taken: ${JSON.stringify(parseOwnHeaders(text))}`;
  } catch (error) {
    return (error as Error).message;
  }
};

test("one a line, blanks around the value are not part of it, line ends of any system", () => {
  expect(parseOwnHeaders("Authorization: Bearer a:b c\r\n\r\nX-Team:\t crash  \nx-empty.ish: ,\n")).toEqual({
    Authorization: "Bearer a:b c",
    "X-Team": "crash",
    "x-empty.ish": ",",
  });
  expect(Object.entries(parseOwnHeaders("__proto__: x"))).toEqual([["__proto__", "x"]]);
});

test("what the message needs and hop-by-hop headers are refused, in any case", () => {
  const names = [
    ...["Host", "content-type", "Content-Length", "webhook-id", "WEBHOOK-signature", "content-encoding"],
    ...["connection", "keep-alive", "Proxy-Authorization", "te", "trailer", "transfer-encoding", "upgrade"],
  ];
  for (const name of names) {
    expect(refusal(`X-Free: 1\n${name}: x`)).toBe(
      `line 2 of the headers sets a header that is not free: ${name.toLowerCase()}`,
    );
  }
  expect(refusal("Hostess: a\nte-a: b\nx-webhook-id: c")).toStartWith("taken");
  expect(refusal("User-Agent: a\nAccept-Encoding: gzip\nExpect: 100-continue\nProxy-Team: d")).toStartWith("taken");
});

test("a line that is no header is named by its number, and never repeated", () => {
  const wrong = [
    "secret",
    ": secret",
    "a b: secret",
    "a : secret",
    "a:",
    "a: ",
    "ä: secret",
    "a: sécret",
    "a: s\u0007",
  ];
  for (const line of [...wrong, "\uFEFFa: secret", "a: s\0", " a: secret", "a: s\u007f"]) {
    expect([line, refusal(`X-Free: 1\n\n${line}`)]).toEqual([
      line,
      "line 3 of the headers must look like Name: value, in printable ASCII",
    ]);
  }
});

test("each once, 20 of them, 8 KiB in all, and not none", () => {
  expect(refusal("X-A: 1\nx-a: 2")).toBe("line 2 of the headers sets a header a second time");
  const many = (count: number) => Array.from({ length: count }, (_, i) => `X-${i}: v`).join("\n");
  expect(refusal(many(20))).toStartWith("taken");
  expect(refusal(many(21))).toBe("a subscriber has at most 20 headers");
  expect(refusal(`X: ${"a".repeat(8_189)}`)).toStartWith("taken");
  expect(refusal(`X: ${"a".repeat(8_190)}`)).toBe("headers may take 8192 bytes in all");
  expect([refusal(""), refusal("\n \n")]).toEqual(["there is no header", "there is no header"]);
});
