import { statSync } from "node:fs";
import { join } from "node:path";
import { databaseEnvironment } from "./databases.ts";

const root = join(import.meta.dir, "../..");

export const binaryPath = join(root, "dist/intake");

/** Builds the binary when it is missing or older than a source. */
export function requireBinary() {
  if (current) return;
  const built = statSync(binaryPath, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = [
    ...new Bun.Glob("{server,openapi,client}/**/*.{ts,tsx,sql,html,css,svg,json}").scanSync(root),
    ...["package.json", "LICENSE", "client/README.md"],
  ];
  const own = sources.filter((path) => !path.includes("node_modules") && !path.includes(".test."));
  if (own.some((path) => statSync(join(root, path)).mtimeMs > built)) {
    const build = Bun.spawnSync([process.execPath, "server/build.ts"], { cwd: root });
    if (build.exitCode !== 0) throw new Error(`the build failed: ${build.stderr}`);
  }
  current = true;
}
let current = false;

export interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
}

/** Commands that last for milliseconds take a quarter less of the processor when they compile nothing on the way. */
const interpreted = { BUN_JSC_useJIT: "0" };

/** Runs one command to its end. */
export async function run(args: string[], { cwd = "/", env = {} }: RunOptions = {}): Promise<Finished> {
  requireBinary();
  const child = Bun.spawn([binaryPath, ...args], {
    cwd,
    env: {
      ...{ PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", ...interpreted },
      ...databaseEnvironment(folderOf(args)),
      ...env,
    },
    stdout: "pipe",
    stderr: "pipe",
  });
  return finished(child);
}

export async function finished(child: Bun.Subprocess<"ignore" | "inherit", "pipe", "pipe">): Promise<Finished> {
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
}

/** Runs one command that has to succeed; returns the JSON that it printed. */
export async function runJson<T>(args: string[], options?: RunOptions): Promise<T> {
  const { code, stdout, stderr } = await run([...args, "--json"], options);
  if (code !== 0) throw new Error(`intake ${args.join(" ")} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

export interface RunningBinary {
  url: string;
  pid: number;
  process: Bun.Subprocess;
  stdout(): string;
  stderr(): string;
  /** Its code, once it has ended and all that it has printed was read. */
  exited: Promise<number>;
  stop(signal?: NodeJS.Signals): Promise<number>;
}

/**
 * Starts `serve`, on a free port unless one is given, and waits for the line on stdout. `before` are words that start
 * the command, such as strace's.
 */
export async function serve(
  folder: string,
  args: string[] = [],
  { env = {}, before = [], cwd = "/" }: RunOptions & { before?: string[] } = {},
): Promise<RunningBinary> {
  requireBinary();
  // A free port for metrics, because all servers of a machine have the same default.
  const metrics = args.includes("--metrics") ? [] : ["--metrics", "off"];
  const port = args.includes("--port") ? [] : ["--port", "0"];
  const child = Bun.spawn([...before, binaryPath, "serve", "--data", folder, ...port, ...metrics, ...args], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", ...databaseEnvironment(folder), ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  let stderr = "";
  const readErrors = collect(child.stderr, (text) => {
    stderr += text;
  });
  let stdout = "";
  const listening = Promise.withResolvers<string>();
  const readOutput = collect(child.stdout, (text) => {
    stdout += text;
    const url = /listening on (\S+)\n/.exec(stdout)?.[1];
    if (url) listening.resolve(url);
  });
  // Whoever waits for the end looks next at what was printed before it.
  const exited = child.exited.then(async (code) => {
    await Promise.all([readErrors, readOutput]);
    return code;
  });
  const url = await Promise.race([listening.promise, exited]);
  if (typeof url === "number") throw new Error(`serve ended with ${url}: ${stderr}`);
  return {
    url,
    pid: child.pid,
    process: child,
    stdout: () => stdout,
    stderr: () => stderr,
    exited,
    stop(signal = "SIGTERM") {
      child.kill(signal);
      return exited;
    },
  };
}

function folderOf(args: readonly string[]): string | undefined {
  const option = args.indexOf("--data");
  return option < 0 ? undefined : args[option + 1];
}

async function collect(stream: ReadableStream<Uint8Array>, add: (text: string) => void) {
  const decoder = new TextDecoder();
  for await (const chunk of stream) add(decoder.decode(chunk, { stream: true }));
}
