import { describe } from "bun:test";
import { SQL } from "bun";
import { PostgresStore } from "../../server/store/postgres/postgres-store.ts";
import { sharedPostgres } from "../support/postgres.ts";
import { storeContract } from "./contract.ts";

const schema = `
create table setting (name text collate "C" primary key, value text collate "C" not null);
create table member (id text primary key, name text, role text, created_at float8);
create table invitation (hash text, member_id text references member(id) on delete cascade, created_at float8, expires_at float8);
create table idempotency (binding bytea not null unique, token_id text not null, key text not null, ticket_id text not null, body_digest text not null, answer text not null, fields text);
`;

async function open() {
  const server = await sharedPostgres();
  const template = await server.template("intake_test", async (url) => {
    const sql = new SQL(url);
    await sql.unsafe(schema);
    await sql.close();
  });
  const { url, drop } = await server.createDatabase({ template });
  const store = await PostgresStore.open({ connection: { url }, connections: 8 });
  const other = new SQL(url, { max: 1 });
  return {
    store,
    url,
    sql: async (text: string) => void (await other.unsafe(text)),
    async remove() {
      await store.close();
      await other.close();
      await drop();
    },
  };
}

describe("PostgreSQL store", () => {
  storeContract(open);
});
