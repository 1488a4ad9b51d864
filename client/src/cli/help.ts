import { type Flag, flags } from "./flags.ts";
import { reportFlags } from "./submit-report.ts";

function listed(table: Record<string, Flag>, json: string): string {
  const named = Object.entries(table).map(([name, { placeholder, about }]) => [`--${name} ${placeholder}`, about]);
  const rows = [...named, ["--json", `print the whole answer as JSON instead of ${json}`]];
  const width = Math.max(...rows.map(([flag = ""]) => flag.length));
  return rows.map(([flag = "", about]) => `  ${flag.padEnd(width)}  ${about}`).join("\n");
}

export const help = `intake-client ticket create --title T [flags]

Creates a ticket, for CI jobs and scripts, and prints the address of its card.

${listed(flags, "the card's address")}

intake-client report --title T [flags]

Sends a report, and prints the id of the event that it is stored as.

${listed(reportFlags, "the id")}

The API token is read from INTAKE_TOKEN, or from the file that INTAKE_TOKEN_FILE names; never from a flag. For reports it is
the SDK key, from INTAKE_KEY or INTAKE_KEY_FILE.
A lost connection, 408, 429 and 5xx are tried again with the same key or id, as late as Retry-After says, for as long as
--wait. Exit code 0 means created or received, 1 refused or unreachable, 2 typed wrongly.

  INTAKE_URL=https://intake.example.org INTAKE_TOKEN_FILE=token \\
    intake-client ticket create --title "Nightly build failed" --idempotency-key build-7312`;
