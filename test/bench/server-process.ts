import { readFileSync } from "node:fs";
import { endWithRun } from "./scratch.ts";

export interface ServerProcess {
  url: string;
  pid: number;
  /** SIGTERM, and waits for the end. */
  stop(): Promise<void>;
}

/** Starts a server that tells its address on stdout as `listening on URL`; what it logs goes to `log`. */
export async function startServer(
  command: string[],
  log: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const child = spawnServer(command, log, env);
  let said = "";
  for await (const chunk of child.stdout) {
    said += new TextDecoder().decode(chunk);
    if (said.includes("\n")) break;
  }
  const [, url] = /^listening on (\S+)/m.exec(said) ?? [];
  if (url === undefined) {
    child.kill("SIGKILL");
    throw new Error(`${command.join(" ")} did not start: ${readFileSync(log, "utf8").trim().slice(-500)}`);
  }
  return {
    url,
    pid: child.pid,
    async stop() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

export function spawnServer(command: string[], log: string, env: Readonly<Record<string, string>> = {}) {
  return endWithRun(
    Bun.spawn(command, {
      env: { ...cleanEnvironment(), ...env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: Bun.file(log),
    }),
  );
}

/** For production, and without settings of whoever runs the bench. */
function cleanEnvironment(): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(([name]) => !/^(INTAKE_|BUN_|NODE_)/.test(name));
  return { ...Object.fromEntries(kept), NODE_ENV: "production" };
}
