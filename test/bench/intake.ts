import { copyFileSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { output } from "./output.ts";
import { progress } from "./progress.ts";
import { freshFolder } from "./scratch.ts";

const root = join(import.meta.dir, "../..");

/** The compiled binary, built when it is missing; a copy, so that a build during the run changes nothing. */
export async function intakeBinary(): Promise<string> {
  const built = join(root, "dist/intake");
  if (!existsSync(built)) {
    progress("building dist/intake");
    await output([process.execPath, "server/build.ts"], root);
  }
  if (newestSource() > statSync(built).mtimeMs) progress("dist/intake is older than its sources: bun run build");
  const copy = join(freshFolder("binary"), "intake");
  copyFileSync(built, copy);
  return copy;
}

function newestSource(): number {
  const files = new Bun.Glob("{server,openapi}/**/*.{ts,tsx,sql}").scanSync({ cwd: root, absolute: true });
  return Math.max(...[...files].map((file) => statSync(file).mtimeMs));
}

export interface Installation {
  /** Of its own: the data directory and the log are in it. */
  folder: string;
  data: string;
  database: string;
  tokenId: string;
  token: string;
  sdkKey: string;
  admin: { email: string; password: string };
  projectId: string;
  boardId: string;
  columnIds: string[];
  /** What starts its server. */
  serve: (port: number) => string[];
  log: string;
  /** Where its rows are, when they are not in the folder. */
  env: Readonly<Record<string, string>>;
}

interface Made {
  admin: { email: string; password: string };
  project: { id: string };
  board: { id: string };
  columns: { id: string }[];
  apiToken: { id: string; token: string };
  sdkKey: { id: string; key: string };
}

export async function freshInstallation(
  binary: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Installation> {
  const folder = freshFolder("intake");
  const data = join(folder, "data");
  const flags = ["--data", data, "--org", "Bench", "--admin-email", "bench@example.org", "--json"];
  const said = await output([binary, "init", ...flags], undefined, env);
  const { admin, project, board, columns, apiToken, sdkKey } = JSON.parse(said) as Made;
  return {
    folder,
    data,
    database: join(data, "intake.db"),
    tokenId: apiToken.id,
    token: apiToken.token,
    sdkKey: sdkKey.key,
    admin,
    projectId: project.id,
    boardId: board.id,
    columnIds: columns.map(({ id }) => id),
    log: join(folder, "log"),
    env,
    serve: (port) => [
      binary,
      "serve",
      "--data",
      data,
      "--port",
      String(port),
      "--rate-limits",
      "off",
      "--metrics",
      "off",
    ],
  };
}
