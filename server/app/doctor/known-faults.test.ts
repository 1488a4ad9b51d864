import { expect, test } from "bun:test";
import { version } from "../../../package.json";
import { type KnownFault, knownFaults, versionFaults } from "./known-faults.ts";

const faults: KnownFault[] = [
  { id: "slow-start", since: "0.2.0", mendedIn: "0.2.3", about: "a start takes minutes", remedy: "upgrade" },
  { id: "odd-sorting", since: "0.1.0", mendedIn: null, about: "cards are sorted oddly", remedy: "set a position" },
];
const holder = (running: string | undefined, more: { url?: undefined } = {}) => ({
  pid: 1,
  command: "serve",
  ...(running === undefined ? {} : { version: running }),
  url: "http://127.0.0.1:3000",
  ...more,
});

test("faults of this version and of the server that runs are found with their remedies, and others are not", () => {
  expect(versionFaults(holder("0.2.2"), faults, "0.3.0")).toEqual({
    code: "version_fault",
    severity: "error",
    ok: false,
    text: "intake 0.3.0 has odd-sorting: cards are sorted oddly; intake 0.2.2 has slow-start: a start takes minutes; intake 0.2.2 has odd-sorting: cards are sorted oddly; set a position; upgrade (mended in 0.2.3)",
    remedy: "set a position; upgrade (mended in 0.2.3)",
  });
  for (const [own, ids] of [
    ["0.0.9", []],
    ["0.1.9", ["odd-sorting"]],
    ["0.2.0-rc.1", ["odd-sorting"]],
    ["0.2.0", ["slow-start", "odd-sorting"]],
    ["0.2.3-rc.1", ["slow-start", "odd-sorting"]],
    ["0.2.3", ["odd-sorting"]],
  ] as const) {
    const { text } = versionFaults(undefined, faults, own);
    expect(faults.map(({ id }) => id).filter((id) => text.includes(` has ${id}:`))).toEqual([...ids]);
  }
});

test("without one it says whose were looked for, and that a newer binary may know of more", () => {
  expect(versionFaults(undefined)).toMatchObject({
    code: "ok",
    text: expect.stringContaining(`none of intake ${version} as of 20`),
  });
  expect(versionFaults(holder("0.9.0"), [], "1.0.0").text).toStartWith(
    "none of intake 1.0.0 and the server's 0.9.0 as of ",
  );
  expect(versionFaults(holder(undefined), faults, "0.0.9").code).toBe("ok");
  // Another command than a server holds the directory.
  expect(versionFaults(holder("0.2.0", { url: undefined }), faults, "0.0.9").code).toBe("ok");
});

test("every fault that is compiled in can be looked up", () => {
  expect(new Set(knownFaults.map(({ id }) => id)).size).toBe(knownFaults.length);
  for (const { id, since, mendedIn, remedy } of knownFaults) {
    expect([id, remedy]).toEqual([expect.stringMatching(/^[a-z0-9-]+$/), expect.stringMatching(/^[^\p{Lu}]/u)]);
    expect(Bun.semver.order(since, version)).toBeLessThanOrEqual(0);
    if (mendedIn !== null) expect(Bun.semver.order(since, mendedIn)).toBe(-1);
  }
});
