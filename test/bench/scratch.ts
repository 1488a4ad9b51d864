import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Subprocess } from "bun";

/** What must not outlive a run: folders and child processes. Undone at its end, after an error and on Ctrl-C. */
const folders = new Set<string>();
const children = new Set<Subprocess>();

export function freshFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `intake-bench-${name}-`));
  folders.add(folder);
  return folder;
}

export function removeFolder(folder: string) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  folders.delete(folder);
}

export function endWithRun<C extends Subprocess>(child: C): C {
  children.add(child);
  child.exited.finally(() => children.delete(child));
  return child;
}

export function cleanUp() {
  for (const child of children) child.kill("SIGKILL");
  for (const folder of [...folders]) removeFolder(folder);
}

export function cleanUpOnSignals() {
  for (const [signal, status] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const) {
    process.on(signal, () => {
      cleanUp();
      process.exit(status);
    });
  }
}
