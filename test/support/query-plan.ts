import type { Sql, Store, Value } from "../../server/core/store.ts";

/** The steps in which a store answers a query, as it describes them. On PostgreSQL as of tables too large to be read whole. */
export async function queryPlan(store: Store, text: Sql, params: readonly Value[] = []): Promise<string[]> {
  const sql = typeof text === "string" ? text : text[store.engine];
  if (store.engine === "sqlite") {
    return (await store.all<{ detail: string }>(`explain query plan ${sql}`, params)).map(({ detail }) => detail);
  }
  return store.write(function* (tx) {
    for (const way of ["seqscan", "bitmapscan"]) yield* tx.run(`set local enable_${way} = off`);
    const rows = yield* tx.all<{ "QUERY PLAN": string }>(`explain ${sql}`, params);
    return rows.map((row) => row["QUERY PLAN"]);
  });
}
