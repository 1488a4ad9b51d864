import { IngestClient } from "@intake/client/ingest";
import { captureErrors } from "@intake/client/node";
import type { Crash } from "./crash.test.ts";

/** Runs in a process of its own and ends it in the way that the environment says, with the SDK or without. */
const { url, key, how, sdk, flushMs = 20_000, exit = true } = JSON.parse(process.env["CRASH"] ?? "") as Crash;

if (sdk) {
  const reports = new IngestClient({ ingestUrl: url, key, timeoutMs: 60_000 });
  const stop = captureErrors(reports, { flushMs, exit });
  if (how === "stopped") stop();
}
process.on("exit", (code) => process.stdout.write(`exit ${code}\n`));

function total(): number {
  throw new TypeError("total is undefined", { cause: new Error("the cart is empty") });
}

const ways: Record<Crash["how"], () => void> = {
  "an error": () => setTimeout(total, 1),
  "an error with members": () =>
    setTimeout(() => {
      throw Object.assign(new Error("refused"), { code: "E_REFUSED", status: 7 });
    }, 1),
  "a rejection": () => void Promise.reject(new RangeError("too far")),
  "an object": () =>
    setTimeout(() => {
      throw { code: 7 };
    }, 1),
  "an exit code of its own": () => {
    process.exitCode = 3;
    setTimeout(total, 1);
  },
  "two errors": () => {
    setTimeout(total, 1);
    setTimeout(total, 1);
  },
  "a listener of the app": () => {
    process.on("uncaughtException", (error) => process.stdout.write(`the app has ${error.message}\n`));
    setTimeout(total, 1);
  },
  "an error that cannot be printed": () =>
    setTimeout(() => {
      throw Object.defineProperty(new Error("odd"), "stack", {
        get() {
          throw new Error("no");
        },
      });
    }, 1),
  stopped: () => setTimeout(total, 1),
};
ways[how]();
