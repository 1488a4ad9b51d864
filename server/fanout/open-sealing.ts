import { randomBytes } from "node:crypto";
import { closeSync, existsSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Store } from "../store/store.ts";
import { Sealing } from "./sealing.ts";

const keyBytes = 32;

/** The file does not fit what the database was sealed with. */
export class SecretKeyUnusable extends Error {
  override name = "SecretKeyUnusable";
}

const remedy =
  "Put the right one back from a backup; without one, intake subscriber forget-secrets makes a new one, and every subscriber needs a new secret";

/**
 * Opens `secret.key` of the data directory, and makes it when nothing was ever sealed. With a lost or another key it is
 * refused at once: otherwise every delivery would fail later, one by one.
 */
export async function openSealing(folder: string, store: Store): Promise<Sealing> {
  const path = `${folder}/secret.key`;
  const known = (await store.one<{ fingerprint: string }>("select fingerprint from sealing limit 1"))?.fingerprint;
  if (!existsSync(path)) {
    if (known !== undefined) {
      throw new SecretKeyUnusable(`${path} is missing, and secrets of subscribers are sealed with it. ${remedy}`);
    }
    writeKey(path);
  }
  const sealing = new Sealing(readKey(path));
  const { fingerprint } = sealing;
  if (known === undefined) {
    await store.write((tx) =>
      tx.run("insert into sealing (fingerprint) values ($1) on conflict do nothing", [fingerprint]),
    );
  } else if (known !== fingerprint) {
    throw new SecretKeyUnusable(
      `${path} is another key than the one that secrets of subscribers are sealed with. ${remedy}`,
    );
  }
  return sealing;
}

function readKey(path: string): Uint8Array {
  const text = readFileSync(path, "utf8").trim();
  if (!/^[0-9a-f]{64}$/.test(text)) throw new SecretKeyUnusable(`${path} is damaged. ${remedy}`);
  return Uint8Array.fromHex(text);
}

/** Durable before anything is sealed with it, there as a whole or not at all, and only ever made once. */
function writeKey(path: string) {
  const draft = `${path}.${crypto.randomUUID()}`;
  const file = openSync(draft, "wx", 0o600);
  try {
    writeSync(file, `${randomBytes(keyBytes).toString("hex")}\n`);
    fsyncSync(file);
    linkSync(draft, path);
    syncFolder(dirname(path));
  } catch (error) {
    // Another process was faster: its key is the one.
    if ((error as { code?: string }).code !== "EEXIST") throw error;
  } finally {
    closeSync(file);
    rmSync(draft, { force: true });
  }
}

/** So that its name outlives a power cut too. */
function syncFolder(path: string) {
  const folder = openSync(path, "r");
  fsyncSync(folder);
  closeSync(folder);
}
