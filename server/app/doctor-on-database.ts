import type { Store } from "../core/store.ts";
import type { Files } from "../store/files.ts";
import { givesOutSessions, type Reached } from "../store/postgres/reach-database.ts";
import { bad, clock, environment, type Finding, good, look, permissions, roomy, secretKey } from "./doctor.ts";
import { examineBucket } from "./examine-bucket.ts";
import { examineDatabase } from "./examine-database.ts";
import { filesOf } from "./files-of.ts";
import { statusOnDatabase, withDatabase, withReached } from "./on-database.ts";
import { secretKeyFile } from "./place-variables.ts";

const noBucket =
  "INTAKE_FILES is not set: attachments are kept in this machine's folder, so one process alone can serve them";
/** Each costs a request to object storage. */
const attachmentsMax = 200;

/**
 * Looks at a PostgreSQL database, at object storage, and at this machine's folder beside them; safe beside servers.
 * Changes nothing but one object, which it stores and removes.
 */
export async function examineOnDatabase(url: string, folder: string): Promise<Finding[]> {
  const server = await withReached(url, async (db, reached) => examineDatabase(db, await routeOf(reached))).catch(
    (error: Error): Finding[] => [{ check: "database", ...bad(error.message) }],
  );
  const reachable = !server.some(({ check }) => check === "database");
  const schemaFinding = reachable ? await look("schema", () => schema(url)) : undefined;
  const bucket = process.env["INTAKE_FILES"];
  const storage = bucket ? await examineBucket(bucket, folder) : [{ check: "bucket", ...good(noBucket) }];
  return [
    await look("permissions", () => permissions(folder)),
    await look("free space", () => roomy(folder)),
    ...server,
    ...(schemaFinding ? [schemaFinding] : []),
    ...storage,
    ...(schemaFinding?.ok
      ? await withDatabase(url, async (store) => [
          await look("clock", () => clock(store)),
          ...(storage.every(({ ok }) => ok)
            ? [await look("attachments", () => attachments(store, filesOf(folder)))]
            : []),
          await look("secret key", () => secretKey(secretKeyFile(folder), store)),
        ]).catch((error: Error): Finding[] => [{ check: "contents", ...bad(error.message) }])
      : []),
    await look("environment", environment),
  ];
}

async function routeOf({ options, pooler }: Reached) {
  return pooler && { ...pooler, sessions: await givesOutSessions(options) };
}

async function schema(url: string) {
  const { current, newest, pending } = await statusOnDatabase(url);
  if (pending.length === 0) return good(`schema ${current}`);
  if (pending.some(({ phase }) => phase === "expand")) {
    return bad(`schema ${current} of ${newest}. Run: intake migrate up`);
  }
  return good(`schema ${current}; once no older process runs, intake migrate up --contract takes away what they used`);
}

/** Whether the newest attachments have their bytes. */
async function attachments(store: Store, files: Files) {
  const rows = await store.all<{ id: string; size: number }>(
    "select id, size from attachment where state <> 'missing' order by id desc limit $1",
    [attachmentsMax],
  );
  let missing = 0;
  for (const { id, size } of rows) {
    if ((await files.find(id))?.size === size) continue;
    // A server may have deleted the attachment meanwhile: it deletes the row before the file.
    if (await store.one("select 1 as there from attachment where id = $1", [id])) missing++;
  }
  if (missing === 0) return good(`the newest ${rows.length} have their bytes`);
  return bad(
    `the bytes of ${missing} of the newest ${rows.length} are missing or cut: look whether INTAKE_FILES names the right bucket, or restore them from its versions`,
  );
}
