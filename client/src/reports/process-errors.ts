import type { IngestClient } from "../ingest.ts";
import { thrown } from "./exception.ts";

/** Options of {@link captureErrors}. */
export interface CaptureErrorsOptions {
  /** How long the process waits for the delivery of its reports before it ends, in milliseconds. Default: 2,000. */
  flushMs?: number | undefined;
  /** End the process, as it would end without this listener. Default: true. */
  exit?: boolean | undefined;
}

/**
 * Captures what ends a process of Node or Bun: exceptions and rejections that nobody handles, as reports of the type
 * `crash` and the level `fatal`. The error is printed as the runtime prints it, but in Node without the line of the source;
 * then the reports are flushed, and the process ends with the exit code 1, as it would have. Node's option
 * `--unhandled-rejections` keeps its meaning.
 *
 * While the app has listeners of its own for `uncaughtException`, errors are captured and the rest is left to them.
 *
 * ```ts
 * captureErrors(reports);
 * ```
 *
 * @returns a function that stops it.
 */
export function captureErrors(
  client: Pick<IngestClient, "capture" | "flush">,
  { flushMs = 2_000, exit = true }: CaptureErrorsOptions = {},
): () => void {
  const { bun } = process.versions;
  let ending = false;
  const listener = (error: unknown) => {
    client.capture({ exception: thrown(error), type: "crash", level: "fatal" });
    const name = "uncaughtException";
    if (process.listeners(name).some((other) => other !== listener)) return;
    print(error);
    if (!exit || ending) return;
    ending = true;
    process.stderr.write(bun ? `\nBun v${bun}\n` : `\nNode.js ${process.version}\n`);
    void client.flush(flushMs).then(() => process.exit(1));
  };
  process.on("uncaughtException", listener);
  // Node turns such a rejection into an exception, unless it is told otherwise.
  if (bun) process.on("unhandledRejection", listener);
  return () => {
    process.off("uncaughtException", listener);
    process.off("unhandledRejection", listener);
  };
}

/** Prints an error as the runtime does. */
function print(error: unknown) {
  try {
    console.error(error);
  } catch {
    // A member of the error threw.
    console.error("An error that cannot be printed.");
  }
}
