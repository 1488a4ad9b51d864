import { rmSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { bundle } from "../bundle.ts";
import { installed, installRuntimes } from "../install.ts";

/** What a process does with its client. */
export interface Task {
  url: string;
  key: string;
  /** The folder of its store; undefined to keep reports in memory only. */
  folder?: string;
  act: "capture" | "deliver" | "go on" | "many";
  /** How many reports are captured, and how many bytes their attachment has. */
  count?: number;
  bytes?: number;
}

export const commands = {
  "Node 20": [installed.node20, "--expose-gc"],
  "Node 24": [installed.node24, "--expose-gc"],
  Bun: [installed.bun],
  Deno: [installed.deno, "run", "--allow-all", "--no-config", "--no-lock", "--quiet"],
};

export interface Scripts {
  folder: string;
  start(runtime: keyof typeof commands, task: Task): Running;
  remove(): void;
}

interface Running {
  /** The values printed so far, one a line. */
  said: unknown[];
  /** Resolves when this many values have been printed. */
  saying(count: number): Promise<unknown>;
  /** The exit code, once the process has ended; an error with stderr unless the code is 0 or a signal ended it. */
  exited: Promise<number>;
  kill(): Promise<void>;
}

/** The script of the processes, bundled. */
export async function prepareScripts(): Promise<Scripts> {
  installRuntimes();
  const folder = temporaryFolder();
  const script = join(folder, "process.mjs");
  await Bun.write(script, await bundle("queue/process-script.ts"));
  return {
    folder,
    start: (runtime, task) => start([...commands[runtime], script], folder, task),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function start(command: readonly string[], home: string, task: Task): Running {
  const child = Bun.spawn([...command], {
    env: { PATH: process.env["PATH"] ?? "", HOME: home, TASK: JSON.stringify(task) },
    stdout: "pipe",
    stderr: "pipe",
  });
  const said: unknown[] = [];
  let wake = Promise.withResolvers<void>();
  const read = async () => {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      said.push(...lines.map((line): unknown => JSON.parse(line)));
      wake.resolve();
      wake = Promise.withResolvers();
    }
  };
  const ended = Promise.all([child.exited, read(), new Response(child.stderr).text()]).then(([code, , stderr]) => {
    wake.resolve();
    if (code !== 0 && child.signalCode === null) throw new Error(`it ended with ${code}: ${stderr}`);
    return code;
  });
  ended.catch(() => {});
  return {
    said,
    exited: ended,
    async saying(count) {
      while (said.length < count) {
        if (child.exitCode !== null) throw new Error(`it ended before it said so much: ${JSON.stringify(said)}`);
        await wake.promise;
      }
      return said[count - 1];
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
