import { expect, test } from "bun:test";
import { acceptedCoding } from "./accept-encoding.ts";

const chosen = (header: string | null) => acceptedCoding(header, ["zstd", "gzip"]);

test("the first coding that is offered and accepted, whatever the order of the header", () => {
  expect(chosen("gzip, deflate, br, zstd")).toBe("zstd");
  expect(chosen("gzip;q=1.0, deflate")).toBe("gzip");
  expect(chosen("GZIP ; Q=0.5")).toBe("gzip");
});

test("a weight of zero refuses, and what is not named is not accepted", () => {
  expect(chosen("zstd;q=0, gzip")).toBe("gzip");
  expect(chosen("zstd;q=0.001, gzip")).toBe("zstd");
  expect(chosen("gzip; q=0.000, br")).toBeUndefined();
  for (const header of [null, "", "identity", "*", "xgzip, gzip2", ",;,"])
    expect([header, chosen(header)]).toEqual([header, undefined]);
});
