import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildClientIfChanged, packed } from "../../client/build.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** An empty project with the packed client, installed as users do it, but without a network. */
export class Consumer {
  readonly folder = temporaryFolder();

  constructor() {
    buildClientIfChanged();
    this.write("package.json", '{ "name": "consumer", "private": true, "type": "module" }');
    const { code, said } = this.run("npm", "install", "--offline", "--no-audit", "--no-fund", packed.file);
    if (code !== 0) throw new Error(`npm install ended with ${code}: ${said}`);
  }

  write(name: string, text: string) {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  run(...command: string[]): { code: number; said: string } {
    const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: this.folder });
    return { code: exitCode, said: `${stdout}${stderr}` };
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
