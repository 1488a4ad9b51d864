import { readUuid, UsageError } from "./options.ts";

/** Reads the ID after a command. */
export function wordId([id = ""]: readonly string[]): string {
  try {
    return readUuid(id);
  } catch (error) {
    throw new UsageError(`ID ${(error as Error).message}`);
  }
}
