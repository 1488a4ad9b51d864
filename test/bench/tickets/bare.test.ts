import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { binaryPath, requireBinary } from "../../support/binary.ts";
import { type Contestant, startIntake } from "../contestant.ts";
import { freshInstallation } from "../intake.ts";
import { removeFolder } from "../scratch.ts";
import { startBare } from "./compare.ts";

const body = { title: "Nightly build failed on main", description: "The job failed after 312 s.", priority: "high" };
const tables = ["ticket", "activity"];

type Row = Record<string, unknown>;

async function storedBy(server: Contestant, keyTable: string): Promise<{ rows: Row[]; indexes: unknown[] }> {
  const response = await fetch(`${server.url}/api/v1/tickets`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${server.token}`,
      "content-type": "application/json",
      "idempotency-key": "one-key",
    },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(201);
  await server.stop();
  const db = new Database(server.database, { readwrite: true });
  const key = "binding, token_id, key, ticket_id, body_digest, answer, fields";
  const queries = [...tables.map((table) => `select * from ${table}`), `select ${key} from ${keyTable}`];
  const rows = queries.flatMap((query) => db.query<Row, []>(query).all());
  const indexes = tables.flatMap((table) =>
    db.query("select sql from sqlite_schema where tbl_name = ? order by name").all(table),
  );
  db.close();
  removeFolder(server.folder);
  return { rows, indexes };
}

/** The kind and the length of each value: ids, times and ports differ, what they take in the file does not. */
function shapeOf(row: Row): Record<string, string> {
  const shape = (value: unknown) => {
    if (typeof value === "string") return `text of ${value.replace(/127\.0\.0\.1:\d+/, "HOST").length}`;
    if (value instanceof Uint8Array) return `blob of ${value.length}`;
    return value === null ? "null" : typeof value;
  };
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, shape(value)]));
}

test("the bare server stores a ticket in the same rows and columns as Intake, with the same indexes of tickets", async () => {
  requireBinary();
  const installation = await freshInstallation(binaryPath);
  const intake = await storedBy(await startIntake("intake", installation, installation.token), "idempotency_key");
  const bare = await storedBy(await startBare(), "idempotency");
  expect(bare.indexes).toEqual(intake.indexes);
  expect(bare.rows.map(shapeOf)).toEqual(intake.rows.map(shapeOf));
  expect(bare.rows).toHaveLength(tables.length + 1);
}, 180_000);
