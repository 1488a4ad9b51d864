import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { lockFile } from "../core/lock-file.ts";
import { ExportRefused } from "./export-refused.ts";
import {
  attachmentsName,
  fileNames,
  lockName,
  type Manifest,
  manifestFormat,
  manifestName,
  manifestVersion,
  type Progress,
  progressName,
  projectName,
} from "./manifest.ts";

const known: ReadonlySet<string> = new Set([
  ...[progressName, `${progressName}.new`, `${manifestName}.new`, lockName, `${lockName}-journal`, attachmentsName],
  ...[projectName, ...fileNames].flatMap((name) => [name, `${name}.partial`, `${name}.new`]),
]);

/**
 * Makes or takes the folder of an export, and locks it. It must be empty, or hold what an earlier run of the same export
 * has left: `progress` says how far that was.
 */
export function takeFolder(path: string, projectId: string): { progress: Progress | undefined; release(): void } {
  return toTarget(path, () => {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    if (!statSync(path).isDirectory()) throw new ExportRefused(`${path} is no folder`);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    requireOwn(path);
    const lock = lockFile(`${path}/${lockName}`, () => new ExportRefused(`another export writes to ${path}`));
    try {
      return { progress: progressIn(path, projectId), release: () => lock.release() };
    } catch (error) {
      lock.release();
      throw error;
    }
  });
}

function requireOwn(path: string) {
  const names = readdirSync(path);
  if (names.includes(manifestName)) {
    throw new ExportRefused(`${path} holds ${finished(path)}; choose another folder, or remove it first`);
  }
  const foreign = names.find((name) => !known.has(name));
  if (foreign !== undefined) {
    throw new ExportRefused(`${path} is not empty: ${JSON.stringify(foreign)} is no part of an export; choose another`);
  }
  const begun = names.filter((name) => name !== lockName && !name.startsWith(`${lockName}-`));
  if (begun.length > 0 && !names.includes(progressName) && begun.some((name) => name !== `${progressName}.new`)) {
    throw new ExportRefused(
      `${path} is not empty, and has no ${progressName} of an export to go on with; choose another`,
    );
  }
}

function finished(path: string): string {
  try {
    const { format, finishedAt, project } = JSON.parse(readFileSync(`${path}/${manifestName}`, "utf8")) as Manifest;
    if (format === manifestFormat) return `the export of the project ${project.id} of ${finishedAt}`;
  } catch {
    // Whatever it is, it is not ours to write over.
  }
  return `a ${manifestName} already`;
}

function progressIn(path: string, projectId: string): Progress | undefined {
  if (!existsSync(`${path}/${progressName}`)) return undefined;
  const damaged = new ExportRefused(`${path}/${progressName} cannot be read; remove ${path} and begin anew`);
  let progress: Progress;
  try {
    progress = JSON.parse(readFileSync(`${path}/${progressName}`, "utf8")) as Progress;
  } catch {
    throw damaged;
  }
  if (progress.format !== manifestFormat) throw damaged;
  if (progress.version !== manifestVersion) {
    throw new ExportRefused(`${path} holds an export that another version of intake began; remove it and begin anew`);
  }
  if (progress.project.id !== projectId) {
    throw new ExportRefused(
      `${path} holds the begun export of the project ${progress.project.id}; choose another folder`,
    );
  }
  return progress;
}

/** Says in words what the target refuses. */
export function toTarget<T>(path: string, work: () => T): T {
  try {
    const result = work();
    return (result instanceof Promise ? result.catch((error) => refuse(path, error)) : result) as T;
  } catch (error) {
    return refuse(path, error);
  }
}

function refuse(path: string, error: unknown): never {
  const { code = "", name } = error as { code?: string; name?: string };
  if (name === "ExportRefused") throw error;
  if (["ENOSPC", "EDQUOT", "SQLITE_FULL"].includes(code)) {
    throw new ExportRefused(`the disk of ${path} is full; make room and run the same command again: it goes on`);
  }
  if (["EROFS", "EACCES", "EPERM", "SQLITE_READONLY", "SQLITE_CANTOPEN"].includes(code)) {
    throw new ExportRefused(`${path} cannot be written to (${code}); give a folder that you may write to`);
  }
  if (code === "ENOTDIR" || code === "EEXIST") throw new ExportRefused(`${path} is no folder`);
  if (/^E[A-Z]+$/.test(code)) {
    throw new ExportRefused(`${path} cannot be written to (${code}); run the same command again: it goes on`);
  }
  throw error;
}
