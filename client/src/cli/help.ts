import { flags } from "./flags.ts";

const rows = [
  ...Object.entries(flags).map(([name, { placeholder, about }]) => [`--${name} ${placeholder}`, about]),
  ["--json", "print the whole answer as JSON instead of the card's address"],
];
const width = Math.max(...rows.map(([flag = ""]) => flag.length));

export const help = `intake-client ticket create --title T [flags]

Creates a ticket, for CI jobs and scripts, and prints the address of its card.

${rows.map(([flag = "", about]) => `  ${flag.padEnd(width)}  ${about}`).join("\n")}

The API token is read from INTAKE_TOKEN, or from the file that INTAKE_TOKEN_FILE names; never from a flag.
A lost connection, 408, 429 and 5xx are tried again with the same key, as late as Retry-After says, for as long as --wait.
Exit code 0 means created, 1 refused or unreachable, 2 typed wrongly.

  INTAKE_URL=https://intake.example.org INTAKE_TOKEN_FILE=token \\
    intake-client ticket create --title "Nightly build failed" --idempotency-key build-7312`;
