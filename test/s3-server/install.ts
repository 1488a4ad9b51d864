import { join } from "node:path";
import { installed as generators } from "../generators/install.ts";
import { installSteps, type Step } from "../support/install-steps.ts";

const folder = join(import.meta.dir, "../../dist/s3-server");

/** The S3 server, once installed. */
export const installed = { server: join(folder, "s3-server") };

const steps: readonly Step[] = [
  {
    name: "versitygw",
    inputs: ["go.mod", "go.sum", "main.go"],
    folder,
    // Without optimisation of its modules the server takes two thirds of the time to compile, and is fast enough. The
    // standard library is compiled as always, so the one that other programs left in the cache is used.
    commands: [
      [...generators.go, "mod", "download"],
      [
        ...generators.go,
        "build",
        "-buildvcs=false",
        "-gcflags=github.com/...=-N -l",
        "-ldflags=-s -w",
        "-o",
        installed.server,
        ".",
      ],
    ],
  },
];

/** Builds the S3 server of the tests at the version pinned here. Takes no time when it is built. */
export function installS3Server(say?: (text: string) => void) {
  installSteps(import.meta.dir, steps, say);
}

if (import.meta.main) installS3Server((name) => process.stdout.write(`${name}\n`));
