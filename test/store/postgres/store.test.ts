import { describe } from "bun:test";
import { SQL } from "bun";
import { readDatabaseUrl } from "../../../server/store/postgres/connection.ts";
import { PostgresStore } from "../../../server/store/postgres/postgres-store.ts";
import { databaseWithSchema } from "../../support/postgres-schema.ts";
import { storeContract } from "../contract.ts";

async function open() {
  const { url, drop } = await databaseWithSchema();
  const store = await PostgresStore.open({ connection: readDatabaseUrl(url), connections: 8 });
  const other = new SQL(url, { max: 1 });
  return {
    store,
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
