import { join } from "node:path";
import type { Installation } from "./intake.ts";
import { freshFolder } from "./scratch.ts";
import { startServer } from "./server-process.ts";

/** A running server with a folder of its own, as a bench sends requests to it and counts afterwards. */
export interface Contestant {
  name: string;
  url: string;
  pid: number;
  token: string;
  folder: string;
  database: string;
  stop: () => Promise<void>;
}

export async function startIntake(name: string, installation: Installation, token: string): Promise<Contestant> {
  const { folder, database, serve, log, env } = installation;
  return { name, token, database, folder, ...(await startServer(serve(0), log, env)) };
}

/** `file` is the name of its database in its folder. */
export async function startRival(
  name: string,
  file: string,
  command: (folder: string, token: string) => string[],
): Promise<Contestant> {
  const folder = freshFolder("rival");
  const token = `itk_${crypto.randomUUID().replaceAll("-", "")}`;
  const server = await startServer(command(folder, token), join(folder, "log"));
  return { name, token, database: join(folder, file), folder, ...server };
}
