import { givesOutSessions, type Reached } from "../../store/postgres/reach-database.ts";
import { S3Files } from "../../store/s3-files.ts";
import { filesOf } from "../files-of.ts";
import { readHolder } from "../lock.ts";
import { statusOnDatabase, withDatabase, withReached } from "../on-database.ts";
import { secretKeyFile } from "../place-variables.ts";
import { attachmentsInBucket, attachmentsInFolder } from "./attachments.ts";
import { roomy, syncTimes } from "./disk.ts";
import { environment } from "./environment.ts";
import { examineBucket } from "./examine-bucket.ts";
import { examineDatabase } from "./examine-database.ts";
import { examineInstallation } from "./examine-installation.ts";
import { bad, type Finding, failure, good, look } from "./finding.ts";
import { versionFaults } from "./known-faults.ts";
import { owner, permissions } from "./permissions.ts";
import { openFiles, versions } from "./running-server.ts";

const noBucket =
  "INTAKE_FILES is not set: attachments are kept in this machine's folder, so one process alone can serve them";

/**
 * Looks at a PostgreSQL database, at object storage, and at this machine's folder beside them; safe beside servers.
 * Changes nothing but one object, which it stores and removes.
 */
export async function examineOnDatabase(url: string, folder: string): Promise<Finding[]> {
  const server = await withReached(url, async (db, reached) => examineDatabase(db, await routeOf(reached))).catch(
    (error: Error): Finding[] => [{ check: "database", ...failure("database_unreachable", error) }],
  );
  const reachable = !server.some(({ check }) => check === "database");
  const schemaFinding = reachable ? await look("schema", () => schema(url), "schema_old") : undefined;
  const bucket = process.env["INTAKE_FILES"];
  const storage = bucket ? await examineBucket(bucket, folder) : [{ check: "bucket", ...good(noBucket) }];
  const holder = readHolder(folder);
  return [
    await look("version", () => versions(holder, "PostgreSQL")),
    await look("known faults", () => versionFaults(holder)),
    await look("permissions", () => permissions(folder), "folder_unusable"),
    await look("owner", () => owner(folder)),
    await look("free space", () => roomy(folder)),
    await look("disk", () => syncTimes(folder)),
    await look("open files", () => openFiles(holder)),
    ...server,
    ...(schemaFinding ? [schemaFinding] : []),
    ...storage,
    ...(schemaFinding?.ok
      ? await withDatabase(url, async (reader, now) => [
          ...(storage.every(({ ok }) => ok)
            ? [
                await look("attachments", () => {
                  const files = filesOf(folder);
                  return files instanceof S3Files
                    ? attachmentsInBucket(files, reader)
                    : attachmentsInFolder(folder, reader);
                }),
              ]
            : []),
          ...(await examineInstallation({ reader, keyPath: secretKeyFile(folder), holder, now: now() })),
        ]).catch((error: Error): Finding[] => [{ check: "contents", ...failure("database_unreadable", error) }])
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
    return bad("schema_old", `schema ${current} of ${newest}`, "Run: intake migrate up");
  }
  return good(`schema ${current}; once no older process runs, intake migrate up --contract takes away what they used`);
}
