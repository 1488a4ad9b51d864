import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileStore } from "@intake/client/node";
import { newSdkKey } from "../../support/ingest.ts";
import { describeTargets, type Target } from "../../support/targets.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { until } from "../../support/until.ts";
import { type Fault, faultyWay } from "./faulty-way.ts";
import { storedEnvelopes } from "./stored.ts";
import { settled, watchedClient } from "./watched.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) {
    Bun.spawnSync(["umount", "--lazy", folder]);
    rmSync(folder, { recursive: true, force: true });
  }
});

/** A disk of its own, mounted with these options. */
function disk(options: string): string {
  const folder = temporaryFolder();
  folders.push(folder);
  mount(folder, options);
  return folder;
}

function mount(folder: string, options: string) {
  const { exitCode, stderr } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder]);
  if (exitCode !== 0) throw new Error(`this test needs to mount a small disk: ${stderr}`);
}

const noise = (bytes: number) => [{ filename: "noise", data: crypto.getRandomValues(new Uint8Array(bytes)) }] as const;

describeTargets("reports in a folder", suite, ["compiled binary"], { rateLimits: false });

function suite(target: () => Target) {
  /** `fault` is what happens to its first request. */
  async function clientIn(folder: string, fault: Fault) {
    const { installation, url } = target();
    const { key } = await newSdkKey(installation);
    const way = await faultyWay(url, [fault]);
    return { way, key, ...watchedClient({ ingestUrl: way.url, key, store: fileStore(folder) }) };
  }

  const held = (retryAfter: string): Fault => ({ status: 429, retryAfter });

  /** Waits until the folder has a record of each. */
  const kept = (folder: string, ids: readonly string[]) =>
    until(() => {
      const names = existsSync(folder) ? readdirSync(folder) : [];
      return ids.every((id) => names.some((name) => name.endsWith(id))) || undefined;
    });

  const storedIds = async () => (await storedEnvelopes(target().installation)).map(({ reportId }) => reportId);

  test("that does not fit on its disk any more are sent from memory, and nothing half-written is left", async () => {
    const folder = join(disk("size=256k"), "reports");
    const { way, reports, violations, drops } = await clientIn(folder, "stall");
    const ids = Array.from({ length: 8 }, (_, index) =>
      reports.capture({ title: `${index}` }, { attachments: noise(60_000) }),
    );
    // While the first one is under way, nothing leaves the folder.
    await way.arrived(1);
    expect(await reports.flush(500)).toBe(false);
    const records = readdirSync(folder).filter((name) => name !== "lock");
    expect(records.length).toBeGreaterThan(0);
    expect(records.length).toBeLessThan(5);
    await way.answer(0, { status: 503 });
    await settled(reports);
    expect(drops.size).toBe(0);
    expect((await storedIds()).filter((id) => ids.includes(id))).toEqual(ids);
    await until(() => readdirSync(folder).length === 0 || undefined);
    expect(violations).toEqual([]);
    way.close();
  });

  test("on a disk that is full already, and later is not, are kept again", async () => {
    const mounted = disk("size=128k");
    const folder = join(mounted, "reports");
    mkdirSync(folder);
    writeFileSync(join(mounted, "ballast"), new Uint8Array(1_000));
    expect(() => writeFileSync(join(mounted, "more"), new Uint8Array(1_000_000))).toThrow("ENOSPC");
    const { way, reports } = await clientIn(folder, "stall");
    const first = reports.capture({ title: "in memory alone" }, { attachments: noise(10_000) });
    // It is sent once it was written, or could not be.
    await way.arrived(1);
    rmSync(join(mounted, "more"));
    const second = reports.capture({ title: "kept" }, { attachments: noise(10_000) });
    await until(() => readdirSync(folder).some((name) => name.endsWith(second)) || undefined);
    expect(readdirSync(folder).filter((name) => name.endsWith(first))).toEqual([]);
    await way.answer(0, { status: 503 });
    await settled(reports);
    expect((await storedIds()).filter((id) => [first, second].includes(id))).toEqual([first, second]);
    way.close();
  });

  test("that is read-only are sent from memory", async () => {
    const folder = disk("size=1m");
    mount(folder, "remount,ro");
    const { way, reports, drops } = await clientIn(folder, held("1"));
    const ids = ["1", "2"].map((title) => reports.capture({ title }));
    await settled(reports);
    expect(drops.size).toBe(0);
    expect((await storedIds()).filter((id) => ids.includes(id))).toEqual(ids);
    way.close();
  });

  test("of an earlier life on a disk that became read-only are sent, each once", async () => {
    const folder = disk("size=1m");
    const dead = await clientIn(folder, held("3600"));
    const ids = ["1", "2"].map((title) => dead.reports.capture({ title }));
    await kept(folder, ids);
    expect(await dead.reports.close(200)).toBe(false);
    dead.way.close();
    mount(folder, "remount,ro");
    for (let life = 0; life < 2; life++) {
      const { way, reports } = await clientIn(folder, held("0"));
      await reports.flush(5_000);
      await settled(reports);
      expect(reports.stats()).toMatchObject({ captured: 2, sent: 2, duplicates: 2 * life });
      way.close();
    }
    expect((await storedIds()).filter((id) => ids.includes(id))).toEqual(ids);
  });

  test("whose names are taken by something else are dropped with their reason, and hold up nobody", async () => {
    const folder = join(disk("size=1m"), "reports");
    const dead = await clientIn(folder, held("3600"));
    const ids = ["1", "2", "3"].map((title) => dead.reports.capture({ title }));
    await kept(folder, ids);
    expect(await dead.reports.close(200)).toBe(false);
    dead.way.close();
    const nameOf = (id = "") => join(folder, readdirSync(folder).find((name) => name.endsWith(id)) ?? "");
    const [directory, cut] = [nameOf(ids[0]), nameOf(ids[1])];
    rmSync(directory);
    mkdirSync(directory);
    writeFileSync(cut, "cut");
    writeFileSync(join(folder, "notes.txt"), "mine");
    const { way, reports, drops } = await clientIn(folder, held("0"));
    expect(await reports.flush(60_000)).toBe(false);
    reports.capture({ title: "tells of it" });
    expect(await reports.flush(60_000)).toBe(true);
    expect(ids.map((id) => drops.get(id))).toEqual(["storage", "storage", undefined]);
    expect(way.arrivals.at(-1)?.envelope.clientReport).toEqual({ dropped: { storage: 2 } });
    expect(readdirSync(folder)).toContain("notes.txt");
    way.close();
  });
}
