import { expect, test } from "bun:test";
import { settings } from "../../../../../core/settings.ts";
import { groups, type Setting, written } from "./words.ts";

test("bytes are written with their unit where that is exact", () => {
  const { retention_bytes: bytes, retention_days: days } = settings;
  expect([50 * 2 ** 30, 3 * 2 ** 20, 1_000].map((value) => written(bytes, value))).toEqual(["50GiB", "3MiB", "1000"]);
  expect(written(days, 90)).toBe("90");
  expect(written(bytes, null)).toBe("");
});

test("every setting is shown once, here or on the pages of backups and mail, and no heading is without one", () => {
  const all = Object.entries(settings).map(([name, setting]) => ({ ...setting, name }) as unknown as Setting);
  const shown = groups(all);
  expect(shown.flatMap((group) => group.settings.map(({ name }) => name)).toSorted()).toEqual(
    Object.keys(settings)
      .filter((name) => !/^(backup|smtp|mail)_/.test(name))
      .toSorted() as (keyof typeof settings)[],
  );
  expect(shown.filter((group) => group.settings.length === 0)).toEqual([]);
});
