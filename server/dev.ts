import { watch } from "node:fs";
import { join } from "node:path";
import { buildClient } from "../client/build.ts";

/** `bun run dev`: the server, started again with every change of its sources or of the page's. */
const folders = ["server", "openapi", "client/src"].map((folder) => join(import.meta.dir, "..", folder));
/** Editors write a file in several steps. */
const pauseMilliseconds = 100;

// The server gives it out.
buildClient();
let running = start();
let pending: Timer | undefined;

function start() {
  return Bun.spawn([process.execPath, join(import.meta.dir, "main.ts"), "serve", ...process.argv.slice(2)], {
    stdio: ["inherit", "inherit", "inherit"],
  });
}

async function restart() {
  // The port and the data directory are free only once it has ended.
  const before = running;
  before.kill();
  await before.exited;
  running = start();
}

for (const folder of folders) {
  watch(folder, { recursive: true }, (_, file) => {
    if (!file || !/\.(tsx?|css|sql|html|svg)$/.test(file) || /\.test\.ts$/.test(file)) return;
    clearTimeout(pending);
    pending = setTimeout(() => void restart(), pauseMilliseconds);
  });
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, async () => {
    running.kill(signal);
    process.exit(await running.exited);
  });
}
