import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { scripts } from "../../package.json";

interface Workflow {
  permissions: object;
  jobs: Record<string, { permissions: object; container?: string; steps: { uses?: string; run?: string }[] }>;
}

const folder = join(import.meta.dir, "../../.github/workflows");
const workflows = readdirSync(folder).map((name): [string, Workflow] => [
  name,
  Bun.YAML.parse(readFileSync(join(folder, name), "utf8")) as Workflow,
]);

test.each(workflows)(
  "%s pins what it uses by digest, has no right that a job does not name, and reads no name as a command",
  (_name, { permissions, jobs }) => {
    expect(permissions).toEqual({});
    for (const { permissions, container, steps } of Object.values(jobs)) {
      expect(permissions).toBeDefined();
      if (container !== undefined) expect(container).toMatch(/@sha256:[0-9a-f]{64}$/);
      for (const { uses, run } of steps) {
        if (uses !== undefined) expect(uses).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
        // The name of a tag reaches a script by the environment alone.
        expect(run ?? "").not.toContain("${{");
        for (const [, script] of (run ?? "").matchAll(/bun@1\.4\.5 run (\S+)/g)) {
          expect(Object.keys(scripts)).toContain(script ?? "");
        }
      }
    }
  },
);
