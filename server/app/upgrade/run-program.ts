import { MigrationRefused } from "../../store/migrate.ts";

/** Bytes of each output that are read; a program that writes more is killed. */
const outputMax = 1024 * 1024;
/** What is left in the pipes of a program that has ended is read for so long at most: a process that it left may hold them. */
const restMilliseconds = 1_000;
const shownMax = 600;

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs a program that is not trusted to be what it should be: without a shell, with this environment alone, for a bounded
 * time, and with bounded output. It gets a process group of its own, and nothing of the group is left when this ends.
 */
export async function runProgram(
  file: string,
  args: readonly string[],
  given: { cwd: string; env: Record<string, string>; milliseconds: number; signal: AbortSignal },
): Promise<Ran> {
  given.signal.throwIfAborted();
  const child = start(file, args, given);
  const stopped = Promise.withResolvers<never>();
  const stop = (why: string) => stopped.reject(new MigrationRefused(`${[file, ...args].join(" ")} ${why}`));
  const timer = setTimeout(() => stop(`did not end within ${given.milliseconds / 1000} s`), given.milliseconds);
  const aborted = () => stopped.reject(given.signal.reason);
  given.signal.addEventListener("abort", aborted);
  const overflow = () => stop(`wrote more than ${outputMax} bytes`);
  const outputs = [new Output(child.stdout, overflow), new Output(child.stderr, overflow)] as const;
  try {
    const code = await Promise.race([child.exited, stopped.promise]);
    killGroup(child);
    await Promise.race([Promise.all(outputs.map(({ ended }) => ended)), Bun.sleep(restMilliseconds)]);
    return { code, stdout: outputs[0].text(), stderr: outputs[1].text() };
  } finally {
    clearTimeout(timer);
    given.signal.removeEventListener("abort", aborted);
    killGroup(child);
    for (const output of outputs) output.cancel();
    await child.exited;
  }
}

/** The end of what a program wrote, on one line and without control characters. */
export function shownOutput({ stdout, stderr }: Ran): string {
  const text = (stderr.trim() || stdout).replaceAll(/[\p{Cc}\s]+/gu, " ").trim();
  return text.length > shownMax ? `…${text.slice(-shownMax)}` : text || "nothing";
}

function start(file: string, args: readonly string[], { cwd, env }: { cwd: string; env: Record<string, string> }) {
  try {
    return Bun.spawn([file, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  } catch (error) {
    throw new MigrationRefused(`${file} cannot be executed (${(error as { code?: string }).code ?? "unknown"})`);
  }
}

function killGroup({ pid }: { pid: number }) {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing of the group is left.
  }
}

class Output {
  readonly ended: Promise<void>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #chunks: Uint8Array[] = [];

  constructor(stream: ReadableStream<Uint8Array>, overflow: () => void) {
    this.#reader = stream.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    this.ended = this.#read(overflow).catch(() => {});
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }

  cancel() {
    void this.#reader.cancel().catch(() => {});
  }

  async #read(overflow: () => void): Promise<void> {
    for (let bytes = 0; ; ) {
      const { done, value } = await this.#reader.read();
      if (done) return;
      bytes += value.length;
      if (bytes > outputMax) return overflow();
      this.#chunks.push(value);
    }
  }
}
