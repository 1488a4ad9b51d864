/** Whether installations of this process keep their rows on PostgreSQL: the suites run on both engines. */
export const onPostgres = process.env["INTAKE_TEST_STORE"] === "postgres";

/** How often a test kills a server: each round costs seconds, and where both engines are tested, SQLite has had them all. */
export function killRounds(all: number): number {
  return onPostgres ? Math.ceil(all / 3) : all;
}

/** The PostgreSQL database that belongs to a data directory, by its path; a directory that is not in here has all in itself. */
export const databases = new Map<string, string>();

/** What a command needs in its environment to find the database of a directory. */
export function databaseEnvironment(folder: string | undefined): Record<string, string> {
  const url = folder === undefined ? undefined : databases.get(folder);
  return url === undefined ? {} : { INTAKE_DATABASE_URL: url };
}
