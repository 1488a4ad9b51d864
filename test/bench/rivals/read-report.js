import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { newId } from "./database.js";

const unpack = promisify(gunzip);

/** The envelope, parsed, and the attachments, each a synced file. */
export async function readReport(parts, folder, streamed) {
  let envelope;
  const attachments = [];
  for await (const part of parts) {
    if (part.fieldname === "envelope") envelope = await parse(await part.toBuffer());
    else attachments.push(streamed ? await stream(part, folder) : await save(await part.toBuffer(), folder));
  }
  if (attachments.length > 0) await syncFolder(folder);
  return { envelope, attachments };
}

async function parse(bytes) {
  const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? await unpack(bytes, { maxOutputLength: 5 * 2 ** 20 }) : bytes;
  const json = plain.toString();
  return { json, report: JSON.parse(json) };
}

async function save(content, folder) {
  const id = newId();
  const file = await open(`${folder}/${id}`, "wx");
  await file.writeFile(content);
  await file.sync();
  await file.close();
  return { id, size: content.length };
}

async function stream(part, folder) {
  const id = newId();
  const target = createWriteStream(`${folder}/${id}`, { flags: "wx", flush: true });
  await pipeline(part.file, target);
  return { id, size: target.bytesWritten };
}

async function syncFolder(folder) {
  const directory = await open(folder);
  await directory.sync();
  await directory.close();
}
