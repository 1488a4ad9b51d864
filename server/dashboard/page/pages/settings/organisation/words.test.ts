import { expect, test } from "bun:test";
import { choicesOf, groups, type Setting, unitOf, written } from "./words.ts";

function setting(name: string, more: Partial<Setting> = {}): Setting {
  return { name, value: 1, default: 1, bounds: "1 to 2", about: "", ...more } as Setting;
}

test("bytes are written with their unit where that is exact", () => {
  expect(written("retention_bytes", 50 * 2 ** 30)).toBe("50GiB");
  expect(written("daily_bytes", 3 * 2 ** 20)).toBe("3MiB");
  expect(written("daily_bytes", 1_000)).toBe("1000");
  expect(written("retention_days", 90)).toBe("90");
  expect(written("retention_events", null)).toBe("");
  expect([unitOf("dedup_days"), unitOf("upload_seconds"), unitOf("source_ip")]).toEqual(["days", "seconds", ""]);
});

test("a list of words is chosen from, numbers are typed", () => {
  expect(choicesOf(setting("source_ip", { value: "cut", bounds: "cut, full, off" }))).toEqual(["cut", "full", "off"]);
  expect(choicesOf(setting("retention_days"))).toBeUndefined();
});

test("every setting is shown once, also one that nobody here knows", () => {
  const all = ["new_one", "retention_days", "source_ip", "public_url"].map((name) => setting(name));
  const shown = groups(all).flatMap(({ settings }) => settings.map(({ name }) => name as string));
  expect(shown.toSorted()).toEqual(["new_one", "public_url", "retention_days", "source_ip"]);
  expect(groups(all).map(({ title }) => title)).toEqual(["Address", "What is kept", "Privacy", "Limits"]);
  expect(
    groups(all)
      .at(-1)
      ?.settings.map(({ name }) => name as string),
  ).toEqual(["new_one"]);
});
