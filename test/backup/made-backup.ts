import { afterAll, beforeAll } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FolderTarget } from "../../server/backup/folder-target.ts";
import { type Manifest, readManifest, writeManifest } from "../../server/backup/manifest.ts";
import { digestOf } from "../../server/backup/stored-object.ts";
import { type Filled, fillInstallation } from "../scale/fill-installation.ts";
import { install } from "../support/installation.ts";
import { create } from "./backups.ts";

/** Copies of these are what the tests of backups work on. */
export let scratch: string;
export let filled: Filled;
export let original: string;
/** A folder with one backup of the original. */
export let made: string;
let count = 0;
export const folder = () => join(scratch, String(++count));

/** Makes an installation with contents, and a backup of it, for the tests of a file. */
export function useMadeBackup() {
  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), "intake-backup-"));
    const installation = await install();
    filled = await fillInstallation(installation);
    original = installation.folder;
    made = folder();
    await create(original, new FolderTarget(made));
  }, 180_000);
  afterAll(() => {
    for (const path of [scratch, original]) rmSync(path, { recursive: true, force: true });
  });
}

export function copyOf(path: string): string {
  const copy = folder();
  cpSync(path, copy, { recursive: true });
  return copy;
}

export function manifestIn(target: string): { path: string; manifest: Manifest } {
  const [name = ""] = readdirSync(`${target}/backups`);
  const path = `${target}/backups/${name}`;
  return { path, manifest: readManifest(name.replace(".json", ""), readFileSync(path, "utf8")) };
}

/** Replaces the manifest by one that is whole in itself and says something else. */
export function forge(target: string, change: (manifest: Manifest) => Manifest) {
  const { path, manifest } = manifestIn(target);
  writeFileSync(path, writeManifest(change(manifest)));
}

export function store(target: string, text: string): { sha256: string; bytes: number } {
  const sha256 = digestOf(text);
  mkdirSync(`${target}/objects/${sha256.slice(0, 2)}`, { recursive: true });
  writeFileSync(`${target}/objects/${sha256.slice(0, 2)}/${sha256}`, text);
  return { sha256, bytes: Buffer.byteLength(text) };
}

export const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => "no error",
    (error: Error) => error.message,
  );
