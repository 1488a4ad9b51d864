import { existsSync } from "node:fs";
import { join } from "node:path";
import { describeMachine } from "../machine.ts";
import { output } from "../output.ts";
import { progress } from "../progress.ts";
import { installRivals } from "../rivals.ts";

const root = join(import.meta.dir, "../../..");

/** Packs the SDK and installs what it is measured against. */
export async function prepareClient() {
  const missing = await installRivals();
  if (missing !== undefined) throw new Error(missing);
  progress("packing the SDK");
  await output([process.execPath, "run", "build:client"], root);
  const sdk = join(root, "dist/client");
  if (!existsSync(join(sdk, "esm/index.js"))) throw new Error("dist/client has no esm/index.js");
  const runtimes = [
    { name: "Node", command: ["node", "--expose-gc"] },
    { name: "Bun", command: [process.execPath] },
  ];
  return { machine: await describeMachine(), sdk, runtimes };
}
