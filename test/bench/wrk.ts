import { progress } from "./progress.ts";
import { endWithRun } from "./scratch.ts";

export const connections = 64;

export interface Load {
  /** Answers of 2xx: what the server says is stored. */
  answers: number;
  refusals: number;
  /** Connections that failed or ran into wrk's timeout. */
  broken: number;
  seconds: number;
  p50Milliseconds: number;
  p99Milliseconds: number;
}

export interface LoadOptions {
  script: string;
  /** What the script is given after the token and the word. */
  args?: readonly string[];
  seconds: number;
  connections?: number;
}

/** One run of wrk. Its script is given a word that no other run has, to build keys that no other run uses. */
export async function loadOnce(
  { url, token }: { url: string; token: string },
  { script, args = [], seconds, connections: count = connections }: LoadOptions,
): Promise<Load> {
  const flags = ["-t1", `-c${count}`, `-d${seconds}s`, "-s", script];
  const word = crypto.randomUUID().slice(0, 8);
  const child = endWithRun(
    Bun.spawn(["wrk", ...flags, url, "--", token, word, ...args], { stdout: "pipe", stderr: "pipe" }),
  );
  const [said, complaint] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const line = said.split("\n").find((one) => one.startsWith("{"));
  if ((await child.exited) !== 0 || line === undefined)
    throw new Error(`wrk failed: ${complaint.trim() || said.trim()}`);
  return JSON.parse(line) as Load;
}

/** Installs wrk from Debian's packages when it is missing. */
export async function requireWrk(): Promise<void> {
  if (Bun.which("wrk")) return;
  if (process.getuid?.() !== 0 || !Bun.which("apt-get")) {
    throw new Error("wrk is missing; install it first (Debian: apt-get install wrk)");
  }
  progress("installing wrk");
  for (const command of [["update"], ["install", "-y", "--no-install-recommends", "wrk"]]) {
    const child = endWithRun(
      Bun.spawn(["apt-get", "-q", ...command], {
        env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
        stdout: "ignore",
        stderr: "ignore",
      }),
    );
    await child.exited;
  }
  if (!Bun.which("wrk")) throw new Error("wrk is missing and apt-get could not install it");
}
