import { mkdirSync } from "node:fs";
import multipart from "@fastify/multipart";
import Database from "better-sqlite3";
import Fastify from "fastify";
import { newId } from "./database.js";
import { createEventTables, eventWriter } from "./events.js";
import { readReport } from "./read-report.js";
import { grouped, oneByOne } from "./transactions.js";

/** `node ingest-server.js DIR PORT TOKEN each|grouped|streamed`: Fastify, its multipart plug-in and better-sqlite3. */
const [folder, port, secret, mode] = process.argv.slice(2);
const files = `${folder}/files`;
mkdirSync(files);
const db = new Database(`${folder}/ingest.db`);
db.pragma("journal_mode = wal");
db.pragma("synchronous = full");
createEventTables(db);
const write = eventWriter(db);
const store = mode === "grouped" ? grouped(db, write) : oneByOne(db, write);

const app = Fastify({ bodyLimit: 25 * 2 ** 20 });
app.register(multipart, { limits: { fileSize: 25 * 2 ** 20, files: 6 } });

app.post("/api/ingest", {
  onRequest: async (request, reply) => {
    if (request.headers.authorization !== `Bearer ${secret}`) return reply.code(401).send({ error: "invalid_sdk_key" });
  },
  handler: async (request) => {
    const { envelope, attachments } = await readReport(request.parts(), files, mode === "streamed");
    const eventId = newId();
    const idempotent = await store({ eventId, envelope, attachments });
    return { status: "received", eventId, deliveryCount: 0, idempotent };
  },
});

const url = await app.listen({ host: "127.0.0.1", port: Number(port) });
process.stdout.write(`listening on ${url}\n`);
