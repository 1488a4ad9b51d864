import { readFileSync, rmSync } from "node:fs";
import { syncFolder, writeDurably } from "../core/durable-file.ts";
import { DataFolderUnusable } from "./data-folder-unusable.ts";
import { type MoveMark, reasonOfMark } from "./move-mark.ts";

/** Throws when everything in the data directory was moved elsewhere, or a move from or to it has not ended. */
export function requireNotMoved(folder: string) {
  const mark = readFolderMark(folder);
  if (mark) throw movedFolder(folder, mark);
}

export function movedFolder(folder: string, mark: MoveMark): DataFolderUnusable {
  const giveUp = mark.role === "source" ? `delete ${markPath(folder)}` : "delete the directory";
  return new DataFolderUnusable(reasonOfMark(`the data directory ${folder}`, mark, giveUp));
}

export function readFolderMark(folder: string): MoveMark | undefined {
  let text: string;
  try {
    text = readFileSync(markPath(folder), "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(String((error as { code?: string }).code))) return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as MoveMark;
  } catch {
    throw new DataFolderUnusable(`${markPath(folder)} is damaged; it tells where everything in ${folder} was moved`);
  }
}

/** The mark is on the disk when this returns, whole. */
export function writeFolderMark(folder: string, mark: MoveMark) {
  writeDurably(markPath(folder), `${JSON.stringify(mark)}\n`);
}

export function removeFolderMark(folder: string) {
  rmSync(markPath(folder), { force: true });
  syncFolder(folder);
}

function markPath(folder: string): string {
  return `${folder}/moved.json`;
}
