import { bad, environment, examineContents, type Finding, good, look, permissions, roomy } from "./doctor.ts";
import { statusOnDatabase, withDatabase } from "./on-database.ts";

/** Looks at a PostgreSQL database and at this machine's folder beside it without changing them; safe beside servers. */
export async function examineOnDatabase(url: string, folder: string): Promise<Finding[]> {
  const schemaFinding = await look("schema", () => schema(url));
  return [
    await look("permissions", () => permissions(folder)),
    await look("free space", () => roomy(folder)),
    schemaFinding,
    ...(schemaFinding.ok ? await withDatabase(url, (store) => examineContents(folder, store)) : []),
    await look("environment", environment),
  ];
}

async function schema(url: string) {
  const { current, newest, pending } = await statusOnDatabase(url);
  if (pending.length === 0) return good(`schema ${current}`);
  return bad(`schema ${current} of ${newest}. Run: intake migrate up`);
}
