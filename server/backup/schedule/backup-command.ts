import { constants, setPriority } from "node:os";

/** How a command of the same program ended: with its result, with the reason why it failed, or because it was told to. */
export type CommandEnd = { result: unknown } | { failure: string } | "stopped";

interface Running {
  ended: Promise<CommandEnd>;
  /** Ends the command; resolves once it has ended, or when it does not end however it is asked. */
  stop(): Promise<void>;
}

/** Characters of an output that are kept. */
const outputMax = 1_048_576;
const failureMax = 1_000;
const progressMax = 200;
/** How long a command may take to remove what it has made for itself. */
const graceMilliseconds = 3_000;

/**
 * Runs a command of this program as a process of its own: in the server's process, closing a file of the database would
 * give up the locks on it. It has the lowest priority, and ends when this process does, however that ends. `progress`
 * receives what the command tells of it.
 */
export function runBackupCommand(args: readonly string[], progress: (text: string) => void): Running {
  let child: ReturnType<typeof start>;
  try {
    child = start(args, progress);
  } catch (error) {
    const { code = "unknown" } = error as { code?: string };
    return {
      ended: Promise.resolve({ failure: `${process.execPath} cannot be executed (${code})` }),
      stop: async () => {},
    };
  }
  lowerPriority(child.pid);
  const outputs = Promise.all([readEnd(child.stdout), readEnd(child.stderr)]);
  const ended = (async (): Promise<CommandEnd> => {
    const [stdout, stderr] = await outputs;
    await child.exited;
    // Whoever stops a service tells all its processes so.
    if (child.signalCode === "SIGTERM") return "stopped";
    if (child.exitCode === 0) return resultIn(stdout);
    const line = stderr.trimEnd().split("\n").at(-1) ?? "";
    const words = line.replace(/^intake: /, "").slice(0, failureMax);
    if (child.exitCode !== null && words !== "") return { failure: words };
    return { failure: `the command was ended by ${child.signalCode ?? `code ${child.exitCode}`}` };
  })();
  // Whoever stops the command may not look at its end.
  ended.catch(() => {});
  return {
    ended,
    async stop() {
      child.kill("SIGTERM");
      if (await endsWithin(child.exited)) return;
      child.kill("SIGKILL");
      await endsWithin(child.exited);
    },
  };
}

function resultIn(stdout: string): CommandEnd {
  try {
    return { result: JSON.parse(stdout) };
  } catch {
    return { failure: "what the command has answered cannot be read" };
  }
}

function start(args: readonly string[], progress: (text: string) => void) {
  return Bun.spawn([...thisProgram(), ...args, "--json"], {
    stdio: ["ignore", "pipe", "pipe"],
    // A signal to the server's terminal is for the server, which then stops the command.
    detached: true,
    serialization: "json",
    ipc(message) {
      const { progress: text } = (message ?? {}) as { progress?: unknown };
      if (typeof text === "string") progress(text.slice(0, progressMax));
    },
  });
}

/** The arguments that run this program: itself as a binary, or by Bun from its source. */
function thisProgram(): string[] {
  const compiled = import.meta.path.startsWith("/$bunfs/") || /^[A-Z]:[\\/]~BUN/.test(import.meta.path);
  return compiled ? [process.execPath] : [process.execPath, new URL("../../main.ts", import.meta.url).pathname];
}

/** Threads that the command makes later inherit the priority; so do its reads and writes, with it, on Linux. */
function lowerPriority(pid: number) {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // The command has ended already.
  }
}

/** The end of an output, as much of it as is kept. */
async function readEnd(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) text = (text + decoder.decode(chunk, { stream: true })).slice(-outputMax);
  return text;
}

async function endsWithin(exited: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), graceMilliseconds);
  void exited.then(() => resolve(true));
  return promise.finally(() => clearTimeout(timer));
}
