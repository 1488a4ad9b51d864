import { join } from "node:path";
import { installed as encoders, installDeno } from "../encoders/install.ts";
import { installPackages, installSteps } from "../support/install-steps.ts";

const here = import.meta.dir;
const modules = join(here, "node_modules");

/** The programs that run JavaScript, once installed; Bun is the one that runs the tests. */
export const installed = {
  bun: process.execPath,
  deno: encoders.deno,
  node20: node(20),
  node22: node(22),
  node24: node(24),
  workerd: join(modules, `@cloudflare/workerd-linux-${process.arch === "x64" ? "64" : process.arch}/bin/workerd`),
  /** From the Debian package of that name. */
  chromium: "/usr/bin/chromium-headless-shell",
};

function node(version: number): string {
  return join(modules, `node-${version}-${process.arch}/bin/node`);
}

/** Installs the runtimes at the versions pinned here. Takes no time when they are installed. */
export function installRuntimes(say?: (text: string) => void) {
  installSteps(
    here,
    [{ name: "packages", inputs: ["package.json", "bun.lock"], folder: modules, commands: [installPackages] }],
    say,
  );
  installDeno(say);
}

if (import.meta.main) installRuntimes((name) => process.stdout.write(`${name}\n`));
