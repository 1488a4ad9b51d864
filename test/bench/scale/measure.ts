import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { readS3Address } from "../../../server/core/s3-address.ts";
import { S3Credentials } from "../../../server/store/s3/credentials.ts";
import { S3Files } from "../../../server/store/s3-files.ts";
import { ScratchPostgres } from "../../support/postgres.ts";
import { S3Server, s3Environment } from "../../support/s3-server.ts";
import { quantile } from "./latency.ts";

/**
 * `bun test/bench/scale/measure.ts`: what the simulation needs to know and no other benchmark measures: a receipt alone,
 * inserted with many others, and a PUT of 100 kB to an S3 server on this machine.
 */
const groups = 400;
const together = 500;
const puts = 200;
const putBytes = 100_000;

const insert = `insert into receipt (binding, project_id, event_id)
  select decode(md5(id), 'hex') || decode(md5(id || 'x'), 'hex'), 'project', id from unnest($1::text[]) as id
  on conflict do nothing`;

async function receipts() {
  const postgres = await ScratchPostgres.start({ shared_buffers: "256MB" });
  try {
    const { url } = await postgres.createDatabase();
    const sql = new SQL(url, { max: 1 });
    await sql`create table receipt (binding bytea primary key, project_id text not null, event_id text not null)`;
    const before = postgres.processorSeconds();
    const [start] = await sql`select pg_current_wal_lsn()::text as lsn`;
    for (let i = 0; i < groups; i++) {
      const ids = Array.from({ length: together }, () => Bun.randomUUIDv7());
      await sql.unsafe(insert, [sql.array(ids, "TEXT")]);
    }
    const [size] = await sql`select pg_total_relation_size('receipt')::integer as bytes,
      (pg_current_wal_lsn() - ${start.lsn}::pg_lsn)::bigint::text as log`;
    const count = groups * together;
    const microseconds = ((postgres.processorSeconds() - before) * 1e6) / count;
    await sql.close();
    return { microseconds, bytes: size.bytes / count, logBytes: Number(size.log) / count };
  } finally {
    await postgres.remove();
  }
}

async function storage() {
  const server = await S3Server.start();
  const spool = mkdtempSync(join(tmpdir(), "intake-puts-"));
  try {
    const files = new S3Files(readS3Address(server.newPlace(), s3Environment), {
      spool,
      credentials: new S3Credentials(s3Environment),
      onTrouble: () => {},
    });
    const milliseconds: number[] = [];
    const bytes = Buffer.alloc(putBytes, crypto.randomUUID());
    const digest = Uint8Array.fromHex(Bun.SHA256.hash(bytes, "hex"));
    for (let i = 0; i < puts; i++) {
      const began = performance.now();
      await files.keepBytes(bytes, Bun.randomUUIDv7(), () => digest);
      milliseconds.push(performance.now() - began);
    }
    milliseconds.sort((one, other) => one - other);
    return { p50: quantile(milliseconds, 0.5), p99: quantile(milliseconds, 0.99) };
  } finally {
    await server.stop();
    rmSync(spool, { recursive: true, force: true });
  }
}

process.stdout.write(`${JSON.stringify({ receipt: await receipts(), put: await storage() }, undefined, 2)}\n`);
