/** Whether installations of this process keep their rows on PostgreSQL: the suites run on both engines. */
export const onPostgres = process.env["INTAKE_TEST_STORE"] === "postgres";

/**
 * The bucket for attachments of installations on PostgreSQL, as `INTAKE_FILES` names it, without a prefix; undefined where
 * they are kept in the data directory. The key to it stands in the environment, as for the product.
 */
const bucket = onPostgres ? process.env["INTAKE_TEST_FILES"] : undefined;

/** Whether attachments are objects in a bucket, and none is a file of the data directory. */
export const onS3 = bucket !== undefined;

/** Of a test file with its servers and commands, in the bucket: their sweeps leave what belongs to others. */
if (bucket !== undefined) process.env["INTAKE_FILES"] = bucket.replace("?", `${crypto.randomUUID()}?`);

const placeOfFiles = ["INTAKE_FILES", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];

/** How often a test kills a server: each round costs seconds, and where both engines are tested, SQLite has had them all. */
export function killRounds(all: number): number {
  return onPostgres ? Math.ceil(all / 3) : all;
}

/** The PostgreSQL database that belongs to a data directory, by its path; a directory that is not in here has all in itself. */
export const databases = new Map<string, string>();

/** What a command needs in its environment to find what belongs to a directory. */
export function databaseEnvironment(folder: string | undefined): Record<string, string> {
  const url = folder === undefined ? undefined : databases.get(folder);
  if (url === undefined) return {};
  const files = bucket === undefined ? [] : placeOfFiles.map((name) => [name, process.env[name] ?? ""]);
  return { INTAKE_DATABASE_URL: url, ...Object.fromEntries(files) };
}
