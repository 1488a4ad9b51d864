import { Database } from "bun:sqlite";
import { closeSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { open } from "node:fs/promises";

/**
 * The limit to measure against: nothing but `Bun.serve`, the envelope found in the body, unpacked and parsed, its JSON
 * in one row, committed in groups at `synchronous=FULL`; an attachment is a synced file before its row. No checks, no
 * limits, no errors, no log, no de-duplication but a unique index.
 *
 * `bun bare.ts DIR PORT TOKEN`
 */
const [folder = ".", port = "0", token = ""] = process.argv.slice(2);
const files = `${folder}/files`;
mkdirSync(files);
const directory = openSync(files, "r");
const db = new Database(`${folder}/ingest.db`, { create: true, strict: true });
db.run("pragma journal_mode = wal");
db.run("pragma synchronous = full");
db.run("create table event (id text primary key, report_id text not null unique, received integer, json text) strict");
db.run("create table attachment (id text primary key, event_id text not null, size integer) strict");

const begin = db.prepare("begin immediate");
const commit = db.prepare("commit");
const insertEvent = db.prepare("insert into event values (?, ?, ?, ?)");
const insertAttachment = db.prepare("insert into attachment values (?, ?, ?)");

interface Job {
  reportId: string;
  json: string;
  attachment: { id: string; size: number } | undefined;
  resolve: (answer: string) => void;
}
let queue: Job[] = [];

function flush() {
  const batch = queue;
  queue = [];
  const answers: string[] = [];
  if (batch.some(({ attachment }) => attachment)) fsyncSync(directory);
  begin.run();
  for (const { reportId, json, attachment } of batch) {
    const eventId = Bun.randomUUIDv7();
    insertEvent.run(eventId, reportId, Date.now(), json);
    if (attachment) insertAttachment.run(attachment.id, eventId, attachment.size);
    answers.push(JSON.stringify({ status: "received", eventId, deliveryCount: 0, idempotent: false }));
  }
  commit.run();
  for (const [i, job] of batch.entries()) job.resolve(answers[i] ?? "");
}

/** The content of every part, in order. */
function partsOf(body: Buffer, boundary: string): Buffer[] {
  const end = `\r\n--${boundary}`;
  const parts: Buffer[] = [];
  for (let from = body.indexOf("\r\n\r\n"); from >= 0; from = body.indexOf("\r\n\r\n", from)) {
    const to = body.indexOf(end, from + 4);
    parts.push(body.subarray(from + 4, to));
    from = to + end.length;
  }
  return parts;
}

async function saveFile(content: Buffer): Promise<{ id: string; size: number }> {
  const id = Bun.randomUUIDv7();
  const file = await open(`${files}/${id}`, "wx");
  await file.writeFile(content);
  await file.sync();
  await file.close();
  return { id, size: content.length };
}

const server = Bun.serve({
  port: Number(port),
  hostname: "127.0.0.1",
  async fetch(request) {
    if (request.headers.get("authorization") !== `Bearer ${token}`) return new Response(null, { status: 401 });
    const boundary = request.headers.get("content-type")?.split("boundary=")[1] ?? "";
    const [envelope = Buffer.alloc(0), content] = partsOf(Buffer.from(await request.arrayBuffer()), boundary);
    const plain = envelope[0] === 0x1f ? Bun.gunzipSync(envelope as Buffer<ArrayBuffer>) : envelope;
    const json = new TextDecoder().decode(plain);
    const { reportId } = JSON.parse(json) as { reportId: string };
    const attachment = content && (await saveFile(content));
    const answer = await new Promise<string>((resolve) => {
      if (queue.length === 0) setImmediate(flush);
      queue.push({ reportId, json, attachment, resolve });
    });
    return new Response(answer, { headers: { "content-type": "application/json" } });
  },
});
process.on("SIGTERM", () => {
  closeSync(directory);
  process.exit(0);
});
process.stdout.write(`listening on http://127.0.0.1:${server.port}\n`);
