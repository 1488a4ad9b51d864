import "../../support/on-postgres.ts";
import { expect, setDefaultTimeout, test } from "bun:test";
import { StoreUnavailable } from "../../../server/core/store.ts";
import { readDatabaseUrl } from "../../../server/store/postgres/connection.ts";
import { PostgresStore } from "../../../server/store/postgres/postgres-store.ts";
import { run } from "../../support/binary.ts";
import { cuttingAtCommits } from "../../support/cutting-at-commits.ts";
import { attachment, envelope, eventTools, storedAttachment, storeReport } from "../../support/ingest.ts";
import { install } from "../../support/installation.ts";
import { connected } from "../../support/postgres-schema.ts";
import { until } from "../../support/until.ts";

// A database to make first costs a busy machine its time.
setDefaultTimeout(180_000);

/** Makes the commit of each report wait, as a disk that hangs does, for as long as somebody holds the lock 1. */
const hangingCommits = `
  create function wait_for_disk() returns trigger language plpgsql as $$
  begin
    while not pg_try_advisory_xact_lock(1) loop perform pg_sleep(0.02); end loop;
    return null;
  end $$;
  create constraint trigger hanging after insert on event deferrable initially deferred
    for each row execute function wait_for_disk()`;

test("the attachments of a report stay while its commit hangs: it may be stored after its request was answered with 503", async () => {
  const installation = await install();
  const { connection, ...rest } = readDatabaseUrl(installation.databaseUrl ?? "");
  const store = await PostgresStore.open({
    connection: { ...rest, connection: { ...connection, lock_timeout: "100ms" } },
    connections: 4,
    patience: { statement: 5_000, commit: 300 },
  });
  const { files } = eventTools(installation);
  const parts = [envelope({ reportId: crypto.randomUUID() }), attachment("the bytes")];
  const send = () => storeReport({ ...installation, ctx: { ...installation.ctx, store } }, parts, { files });
  await connected(installation.databaseUrl ?? "", async (db) => {
    await db.run(hangingCommits);
    await db.run("select pg_advisory_lock(1)");
    await expect(send()).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await store.all("select id from event")).toEqual([]);
    await db.run("select pg_advisory_unlock(1)");
  });
  const [event] = await until(async () => {
    const events = await store.all<{ id: string }>("select id from event");
    return events.length > 0 ? events : undefined;
  });
  const again = await send();
  expect(again).toMatchObject({ eventId: event?.id, idempotent: true });
  expect(Buffer.from(await storedAttachment(installation, again.eventId, 0)).toString()).toBe("the bytes");
  await store.close();
  await installation.remove();
});

test("a command whose commit is in doubt does not say that nothing was changed", async () => {
  const { folder, databaseUrl = "", ctx, remove } = await install();
  const way = await cuttingAtCommits(databaseUrl);
  way.cut("after");
  const env = { INTAKE_DATABASE_URL: way.url };
  const { code, stderr } = await run(["settings", "set", "retention_days", "31", "--data", folder], { env });
  expect([code, stderr]).toEqual([
    1,
    "intake: the connection to the database was lost, and whether anything was changed is not known; look before you try again\n",
  ]);
  expect(await ctx.store.all("select value from setting where name = 'retention_days'")).toEqual([{ value: "31" }]);
  way.stop();
  await remove();
});
