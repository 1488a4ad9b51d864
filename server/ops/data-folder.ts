import { accessSync, chmodSync, constants, existsSync, mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { databasePath } from "../store/migrate.ts";

export class DataFolderUnusable extends Error {
  override name = "DataFolderUnusable";
}

/** Makes the data directory when it is missing, for its owner only. */
export function makeDataFolder(path: string): string {
  const folder = resolve(path);
  try {
    if (!existsSync(folder)) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      chmodSync(folder, 0o700);
    }
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new DataFolderUnusable(
      `the data directory ${folder} cannot be used (${(error as { code?: string }).code}); give this user write access or choose another with --data`,
    );
  }
  return folder;
}

/** The data directory of commands that need one which exists. */
export function requireDataFolder(path: string): string {
  const folder = resolve(path);
  if (!existsSync(databasePath(folder))) {
    throw new DataFolderUnusable(`there is no Intake database in ${folder}; run \`intake init\` first, or give --data`);
  }
  return makeDataFolder(folder);
}
