import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dir;
const made = join(here, "../../dist/encoders");

/** Where the encoders are that do not come with the machine, once they are installed. */
export const installed = {
  python: join(made, "python/bin/python"),
  deno: join(made, "python/bin/deno"),
  go: join(made, "go/client"),
  javaClasses: join(made, "java"),
  jars: join(made, "jars"),
};

interface Step {
  name: string;
  /** What it is made from: with the same contents, it is not made again. */
  inputs: string[];
  folder: string;
  commands: string[][];
}

const goClient = "clients/with_multipart.go";
const javaClients = ["clients/WithOkHttp.java", "clients/WithApache.java"];

const steps: Step[] = [
  {
    name: "npm",
    inputs: ["package.json", "package-lock.json"],
    folder: join(here, "node_modules"),
    commands: [["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]],
  },
  {
    name: "pip",
    inputs: ["requirements.txt"],
    folder: join(made, "python"),
    commands: [
      ["python3", "-m", "venv", join(made, "python")],
      [installed.python, "-m", "pip", "install", "--quiet", "--no-deps", "--requirement", "requirements.txt"],
    ],
  },
  {
    name: "go",
    inputs: [goClient],
    folder: join(made, "go"),
    commands: [["go", "build", "-o", installed.go, goClient]],
  },
  {
    name: "maven",
    inputs: ["pom.xml"],
    folder: installed.jars,
    commands: [
      ["mvn", "--quiet", "--batch-mode", "dependency:copy-dependencies", `-DoutputDirectory=${installed.jars}`],
    ],
  },
  {
    name: "javac",
    inputs: ["pom.xml", ...javaClients],
    folder: installed.javaClasses,
    commands: [
      ["javac", "-encoding", "UTF-8", "-cp", `${installed.jars}/*`, "-d", installed.javaClasses, ...javaClients],
    ],
  },
];

/** Installs what the tests send with, at the versions pinned here. Quick when it is there already. */
export function installEncoders(say: (text: string) => void = () => {}) {
  for (const step of steps) {
    const stamp = join(step.folder, ".made-from");
    const wanted = digest(step.inputs);
    if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) continue;
    say(step.name);
    rmSync(step.folder, { recursive: true, force: true });
    for (const command of step.commands) {
      const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: here });
      if (exitCode === 0) continue;
      throw new Error(`${command.join(" ")} ended with ${exitCode}: ${`${stdout}${stderr}`.slice(0, 2_000)}`);
    }
    mkdirSync(step.folder, { recursive: true });
    writeFileSync(stamp, wanted);
  }
}

function digest(paths: string[]): string {
  const hash = createHash("sha256");
  for (const path of paths) hash.update(readFileSync(join(here, path)));
  return hash.digest("hex");
}

if (import.meta.main) installEncoders((name) => process.stdout.write(`${name}\n`));
