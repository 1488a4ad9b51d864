import type { BackupOutput } from "../backup/target.ts";

/** Whether the server has started this command, and hears of its progress over a channel between the two. */
export function startedByServer(): boolean {
  return process.send !== undefined;
}

/**
 * Does the work of a command that the server may have started: then its progress goes to the server, and the command ends
 * when the server does, however that ends.
 */
export async function withServer<T>(out: BackupOutput, work: (out: BackupOutput) => Promise<T>): Promise<T> {
  if (!startedByServer()) return work(out);
  const end = () => process.kill(process.pid, "SIGTERM");
  process.once("disconnect", end);
  try {
    return await work({
      note: out.note,
      progress: (text) => {
        if (process.connected) process.send?.({ progress: text });
      },
    });
  } finally {
    process.off("disconnect", end);
    // An open channel would keep the process alive.
    if (process.connected) process.disconnect?.();
  }
}
