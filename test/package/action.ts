import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Action {
  inputs: Record<string, { required?: boolean; default?: string }>;
  outputs: Record<string, { value: string }>;
  runs: { steps: { id: string; env: Record<string, string>; run: string }[] };
}

export const action = Bun.YAML.parse(
  readFileSync(join(import.meta.dir, "../../client/action/action.yml"), "utf8"),
) as Action;

/** What the runner knows of a step: where it is, and which packages `npx` finds. */
export interface Place {
  github: Record<string, string>;
  strategy: Record<string, string>;
  registry: string;
  /** The home folder, in which npm keeps packages for later steps of a job; an empty one unless it is given. */
  home?: string;
  /** A folder with programs that stand before those of the machine. */
  programs?: string;
}

export interface Ran {
  code: number;
  outputs: Record<string, string>;
  stdout: string;
  stderr: string;
}

/**
 * Runs the action's step as the runner does: expressions become values, `shell: bash` becomes this command line.
 * `before` are words that start it, such as strace's.
 */
export async function runAction(
  inputs: Record<string, string>,
  place: Place,
  before: readonly string[] = [],
): Promise<Ran> {
  const [step] = action.runs.steps;
  if (!step) throw new Error("the action has no step");
  const folder = temporaryFolder();
  const temporary = join(folder, "temp");
  mkdirSync(temporary);
  writeFileSync(join(folder, "output"), "");
  writeFileSync(join(folder, "step.sh"), step.run);
  const contexts = { inputs: { ...defaults(), ...inputs }, github: place.github, strategy: place.strategy };
  const child = Bun.spawn([...before, "bash", "--noprofile", "--norc", "-eo", "pipefail", join(folder, "step.sh")], {
    cwd: folder,
    env: {
      PATH: [...(place.programs ? [place.programs] : []), process.env["PATH"]].join(":"),
      HOME: place.home ?? folder,
      RUNNER_TEMP: temporary,
      GITHUB_OUTPUT: join(folder, "output"),
      npm_config_registry: place.registry,
      ...Object.fromEntries(Object.entries(step.env).map(([name, text]) => [name, evaluate(text, contexts)])),
    },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const code = await child.exited;
  return { code, outputs: outputsOf(readFileSync(join(folder, "output"), "utf8")), stdout, stderr };
}

function defaults(): Record<string, string> {
  return Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [name, input.default ?? ""]));
}

/** `${{ context.name }}`, the only kind of expression that the action has. */
function evaluate(text: string, contexts: Record<string, Record<string, string>>): string {
  return text.replace(/\$\{\{ (\w+)\.([\w-]+) \}\}/g, (expression, context: string, name: string) => {
    const value = contexts[context]?.[name];
    if (value === undefined) throw new Error(`nobody knows ${expression}`);
    return value;
  });
}

/** Reads the file of outputs by the runner's rules: `name=value`, or `name<<end` up to a line that is `end`. */
function outputsOf(text: string): Record<string, string> {
  const outputs: Record<string, string> = {};
  const lines = text.split("\n");
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const [, single, value, many, end] = /^(?:([^=<]+)=(.*)|([^=<]+)<<(.+))$/.exec(line) ?? [];
    if (single) outputs[single] = value ?? "";
    if (!many) continue;
    const until = lines.indexOf(end ?? "");
    if (until < 0) throw new Error(`no end of ${many}`);
    outputs[many] = lines.splice(0, until).join("\n");
    lines.shift();
  }
  return outputs;
}
