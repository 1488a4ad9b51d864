import { readValue } from "./command.ts";
import { readSecret, UsageError } from "./options.ts";

/**
 * The API token of a command that talks to a server. There is no flag for it, because everybody on the machine can read
 * flags.
 */
export function tokenFromEnvironment(): string {
  const { INTAKE_TOKEN: token, INTAKE_TOKEN_FILE: file } = process.env;
  const given = token || (file && readValue("INTAKE_TOKEN_FILE", () => readSecret(file)));
  if (!given) throw new UsageError("set INTAKE_TOKEN, or INTAKE_TOKEN_FILE to the name of a file that holds the token");
  return given;
}
