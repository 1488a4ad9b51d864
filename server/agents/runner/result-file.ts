import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { type Static, Type } from "@sinclair/typebox";
import { checker } from "../../../openapi/check.ts";
import { CompleteRun } from "../../../openapi/schema/runner.ts";

/** Contents of `result.json`, which a command may write. Every member is optional. */
const Result = Type.Partial(Type.Omit(CompleteRun, ["leaseToken"]));
export type Result = Static<typeof Result>;

/** `result.json` exists but cannot be used. The message says why and completes a sentence that begins with the file's name. */
export class ResultUnusable extends Error {
  override name = "ResultUnusable";
}

const bytesMax = 262_144;
const faultsOf = checker(Result);

/** Reads `result.json`; an empty result when there is no file. Throws {@link ResultUnusable}. */
export function readResult(path: string): Result {
  const text = textOf(path);
  if (text === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ResultUnusable("is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ResultUnusable("is not a JSON object");
  }
  const faults = faultsOf(value as Record<string, unknown>);
  if (faults.length > 0) throw new ResultUnusable(faults.map(({ path, message }) => `${path}: ${message}`).join(" "));
  return value;
}

/** Reads a regular file only: a link could lead to a file of the runner, and reading a pipe could block. */
function textOf(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new ResultUnusable(code === "ELOOP" ? "is a link" : `cannot be read (${code})`);
  }
  try {
    const { size } = requireFile(fstatSync(file));
    if (size > bytesMax) throw new ResultUnusable(`has more than ${bytesMax.toLocaleString("en")} bytes`);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

function requireFile<S extends { isFile(): boolean }>(stats: S): S {
  if (!stats.isFile()) throw new ResultUnusable("is not a file");
  return stats;
}
