import { randomBytes } from "node:crypto";
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { syncFolder } from "./durable-file.ts";
import { readRegularFile } from "./read-regular-file.ts";
import { Sealing } from "./sealing.ts";
import type { Store } from "./store.ts";

const keyBytes = 32;
/** Bytes of a key file: 64 hex digits, and white space. */
const fileMax = 1_024;

/** `secret.key` does not fit what the database was sealed with. */
export class SecretKeyUnusable extends Error {
  override name = "SecretKeyUnusable";
}

const remedy =
  "Put the right one back from a backup; without one, intake subscriber forget-secrets makes a new one, and every subscriber needs a new secret";

/**
 * Opens the sealing key, `secret.key` of the data directory unless it is kept elsewhere; makes it when nothing was ever
 * sealed. A missing or different key is refused at once: otherwise every delivery would fail later, one by one.
 */
export async function openSealing(folder: string, store: Store, path = keyPath(folder)): Promise<Sealing> {
  const sealedWith = await fingerprintIn(store);
  if (sealedWith === undefined && !existsSync(path)) writeKey(path);
  const sealing = readSealing(path, sealedWith);
  const { fingerprint } = sealing;
  if (sealedWith === undefined) {
    await store.write((tx) =>
      tx.run("insert into sealing (fingerprint) values ($1) on conflict do nothing", [fingerprint]),
    );
    // Another process, with a key of its own, may have been first.
    readSealing(path, await fingerprintIn(store));
  }
  return sealing;
}

async function fingerprintIn(store: Store): Promise<string | undefined> {
  const row = await store.one<{ fingerprint: string }>("select fingerprint from sealing order by fingerprint limit 1");
  return row?.fingerprint;
}

export function keyPath(folder: string): string {
  return `${folder}/secret.key`;
}

/**
 * Reads the sealing key. `sealedWith` is the fingerprint of the key with which stored secrets were sealed; undefined
 * when there are none.
 */
export function readSealing(path: string, sealedWith: string | undefined): Sealing {
  if (sealedWith !== undefined && !existsSync(path)) {
    throw new SecretKeyUnusable(`${path} is missing, and secrets of subscribers are sealed with it. ${remedy}`);
  }
  const sealing = new Sealing(readKey(path));
  if (sealedWith === undefined || sealedWith === sealing.fingerprint) return sealing;
  throw new SecretKeyUnusable(
    `${path} is another key than the one that secrets of subscribers are sealed with. ${remedy}`,
  );
}

function readKey(path: string): Uint8Array {
  const text = readText(path).trim();
  if (!/^[0-9a-f]{64}$/.test(text)) throw new SecretKeyUnusable(`${path} is damaged. ${remedy}`);
  return Uint8Array.fromHex(text);
}

function readText(path: string): string {
  try {
    return readRegularFile(path, fileMax);
  } catch (error) {
    throw new SecretKeyUnusable(`${path} cannot be read (${(error as { code?: string }).code}). ${remedy}`);
  }
}

/** Makes a key file with the key of another one, unless it is there. */
export function copyKey(from: string, to: string) {
  writeKey(to, readKey(from));
}

/** Makes the key file: durable before anything is sealed with it, whole or absent, and never made twice. */
function writeKey(path: string, key: Uint8Array = randomBytes(keyBytes)) {
  const draft = `${path}.${crypto.randomUUID()}`;
  const file = openSync(draft, "wx", 0o600);
  try {
    writeSync(file, `${key.toHex()}\n`);
    fsyncSync(file);
    linkSync(draft, path);
    syncFolder(dirname(path));
  } catch (error) {
    // Another process made the file in the meantime: its key is used.
    if ((error as { code?: string }).code !== "EEXIST") throw error;
  } finally {
    closeSync(file);
    rmSync(draft, { force: true });
  }
}
