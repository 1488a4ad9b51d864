import { expect, test } from "bun:test";
import { SdkLabels } from "./sdk-labels.ts";

const invalid = { sdk: "invalid", version: "invalid" };
const other = { sdk: "other", version: "other" };

test.each([
  ["@intake/client/0.1.0", "@intake/client", "0.1.0"],
  ["@intake/client/0.1.0; node/22.1.0", "@intake/client", "0.1.0"],
  ["@intake/client/0.1.0 ;", "@intake/client", "0.1.0"],
  ["intake-go/1.2.3-rc.1+build", "intake-go", "1.2.3-rc.1+build"],
  [`a/${"1".repeat(62)}`, "a", "1".repeat(62)],
])("%s is a name and a version", (header, sdk, version) => {
  expect(new SdkLabels().of(header, true)).toEqual({ sdk, version });
});

test.each([
  "",
  "; node",
  "intake",
  "intake/",
  "/1.0",
  "a/b/c/1.0",
  "../1.0",
  "a b/1.0",
  'a"}/1.0',
  "a\n/1.0",
  "é/1.0",
  `a/${"1".repeat(63)}`,
])("%j is invalid", (header) => {
  expect(new SdkLabels().of(header, true)).toEqual(invalid);
});

test("the fifty-first is other, and those known before stay", () => {
  const labels = new SdkLabels();
  for (let i = 0; i < 50; i++) labels.of(`sdk/1.${i}`, true);
  expect(labels.of("sdk/1.50", true)).toEqual(other);
  expect(labels.of("sdk/1.49; bun", true)).toEqual({ sdk: "sdk", version: "1.49" });
});

test("whoever has no valid credential teaches no label", () => {
  const labels = new SdkLabels();
  expect(labels.of("sdk/1.0", false)).toEqual(other);
  labels.of("sdk/1.0", true);
  expect(labels.of("sdk/1.0", false)).toEqual({ sdk: "sdk", version: "1.0" });
});
