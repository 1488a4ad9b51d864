import { copyFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { binaryPath, requireBinary } from "../../support/binary.ts";
import { output } from "../output.ts";
import { progress } from "../progress.ts";
import { freshFolder } from "../scratch.ts";
import type { CompareOptions } from "./options.ts";

const root = join(import.meta.dir, "../../..");

/** A binary that is there, a commit to build, or the sources of this folder. */
interface Side {
  /** As people read it. */
  name: string;
  binary?: string;
  commit?: string;
}

export interface Sides {
  old: Side;
  new: Side;
}

/** What the options name, or what is wrong with them. Builds nothing yet. */
export async function findSides({ to, from }: Pick<CompareOptions, "to" | "from">): Promise<Sides | string> {
  if (from !== undefined && !isFile(from)) return `--from ${from} is no file`;
  const fresh = from === undefined ? { name: "the sources of this folder" } : { name: from, binary: resolve(from) };
  if (isFile(to)) return { old: { name: to, binary: resolve(to) }, new: fresh };
  const commit = await commitOf(to);
  if (commit === undefined) return `--to ${to} is neither a file nor a commit`;
  return { old: { name: `commit ${commit.slice(0, 10)}`, commit }, new: fresh };
}

function commitOf(name: string): Promise<string | undefined> {
  const command = ["git", "rev-parse", "--verify", "--end-of-options", `${name}^{commit}`];
  return output(command, root).catch(() => undefined);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Copies, so that a build during the run changes nothing. */
export async function binaryOf({ binary, commit }: Side): Promise<string> {
  if (commit !== undefined) return buildCommit(commit);
  if (binary === undefined) requireBinary();
  const copy = join(freshFolder("binary"), "intake");
  copyFileSync(binary ?? binaryPath, copy);
  return copy;
}

/** A clone and not a worktree: it leaves no trace in the repository, also when this process is killed. */
async function buildCommit(commit: string): Promise<string> {
  progress(`building ${commit.slice(0, 10)}`);
  const folder = freshFolder("commit");
  await output(["git", "clone", "--quiet", "--shared", "--no-checkout", root, folder]);
  await output(["git", "checkout", "--quiet", "--detach", commit], folder);
  await output([process.execPath, "install", "--frozen-lockfile", "--silent"], folder);
  await output([process.execPath, "server/build.ts"], folder);
  return join(folder, "dist/intake");
}
