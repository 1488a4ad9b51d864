import { readFileSync } from "node:fs";
import { join } from "node:path";
import { installSteps } from "../support/install-steps.ts";
import { JobProgram } from "../support/job-program.ts";
import type { Generator } from "./generator.ts";
import { made } from "./install.ts";

/** The output of a hand-written program that uses a generated client. */
export interface Answer {
  status: number;
  id?: string;
  repeated?: boolean;
  error?: string;
}

/** A generated client that was built, with its program. */
export interface Client {
  /** Fails when the program fails. */
  ask(...args: string[]): Promise<Answer>;
  /** Reads a generated file. */
  read(path: string): string;
  stop(): Promise<void>;
}

const here = import.meta.dir;
const document = "../../openapi/openapi.json";
/** Further inputs that a client depends on. */
const tools = [
  ...["bun.lock", "../../bun.lock", "requirements.txt", "go.sum", "pom.xml", "versions.ts"],
  ...["tools.ts", "programs.ts", "generators.ts"],
];

/** Generates and builds the client, unless that was done from the same document, program and tools. */
export function makeClient({ folder, files, generate, build, start }: Generator): Client {
  const home = join(made, folder);
  const sources = [document, ...files];
  installSteps(here, [
    {
      name: folder,
      inputs: [...sources, ...tools],
      folder: home,
      cwd: home,
      commands: [["cp", ...sources.map((path) => join(here, path)), home], generate, ...build],
    },
  ]);
  const program = new JobProgram(start, home);
  return {
    ask: async (...args) => JSON.parse(await program.ask(args)) as Answer,
    read: (path) => readFileSync(join(home, path), "utf8"),
    stop: () => program.stop(),
  };
}
