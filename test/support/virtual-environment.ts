import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * `bun test/support/virtual-environment.ts FOLDER`: makes a virtual environment of Python with what `requirements.txt` of
 * the working directory pins. It has no pip: one environment of the machine's Python has it for all others, because
 * installing pip takes longer than what pip installs. Python compiles a module when it is first imported. Without FOLDER
 * that one environment is made.
 */
const dist = join(import.meta.dir, "../../dist");

function main([folder]: readonly string[]) {
  const pip = [pythonWithPip(), "-m", "pip", "--quiet", "--disable-pip-version-check"];
  if (folder === undefined) return;
  run("python3", "-m", "venv", "--without-pip", folder);
  const into = ["--python", join(folder, "bin/python")];
  run(...pip, ...into, "install", "--no-deps", "--no-compile", "--requirement", "requirements.txt");
}

/** Several installers want it at the same time: it is made aside, and stays where it is once it is there. */
function pythonWithPip(): string {
  const place = join(dist, `pip-of-${run("python3", "--version").trim().replaceAll(" ", "-")}`);
  const python = join(place, "bin/python");
  if (existsSync(place)) return python;
  mkdirSync(dist, { recursive: true });
  const aside = mkdtempSync(`${place}-`);
  run("python3", "-m", "venv", aside);
  try {
    renameSync(aside, place);
  } catch (error) {
    rmSync(aside, { recursive: true });
    if (!existsSync(place)) throw error;
  }
  return python;
}

function run(...command: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}: ${stdout}${stderr}`);
  return `${stdout}`;
}

if (import.meta.main) main(process.argv.slice(2));
