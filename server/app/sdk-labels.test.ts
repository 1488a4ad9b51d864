import { expect, test } from "bun:test";
import { sdkName } from "../../client/src/core/version.ts";
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

test("the forty-first is other, and those known before stay", () => {
  const labels = new SdkLabels();
  for (let i = 0; i < 40; i++) labels.of(`sdk/1.${i}`, true);
  expect(labels.of("sdk/1.40", true)).toEqual(other);
  expect(labels.of("sdk/1.39; bun", true)).toEqual({ sdk: "sdk", version: "1.39" });
});

test("no crowd of others pushes out our own SDK, and none of its versions the others", () => {
  const labels = new SdkLabels();
  for (let i = 0; i < 55; i++) labels.of(`sdk-${i}/1.0`, true);
  const own = Array.from({ length: 55 }, (_, i) => labels.of(`${sdkName}/0.${i}`, true));
  expect(own[9]).toEqual({ sdk: sdkName, version: "0.9" });
  expect(own[54]).toEqual({ sdk: sdkName, version: "other" });
  expect(labels.of("sdk-39/1.0", true)).toEqual({ sdk: "sdk-39", version: "1.0" });

  const crowded = new SdkLabels();
  for (let i = 0; i < 55; i++) crowded.of(`${sdkName}/0.${i}`, true);
  expect(crowded.of("sdk/1.0", true)).toEqual({ sdk: "sdk", version: "1.0" });
});

test("whoever has no valid credential teaches no label", () => {
  const labels = new SdkLabels();
  expect(labels.of("sdk/1.0", false)).toEqual(other);
  labels.of("sdk/1.0", true);
  expect(labels.of("sdk/1.0", false)).toEqual({ sdk: "sdk", version: "1.0" });
});
