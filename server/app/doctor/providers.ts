import { statSync } from "node:fs";
import type { Reader } from "../../core/store.ts";
import { readSecretFile } from "../../providers/client-secret.ts";
import { bad, good } from "./finding.ts";

const othersMayRead = 0o004;

/** Whether people can sign in with each identity provider that is enabled, as far as that is up to Intake. */
export async function providerSecrets(reader: Reader) {
  const rows = await reader.all<{ id: string; lost: number; file: string | null }>(
    `select id, case when secret is not null and length(secret) = 0 then 1 else 0 end as lost, secret_file as file
     from provider where state = 'enabled' and client_auth <> 'none' order by id`,
  );
  const lost = rows.filter((row) => row.lost === 1).map(({ id }) => id);
  if (lost.length > 0) {
    const found = `nobody can sign in with ${lost.join(", ")}: the secret is lost with the former secret.key`;
    return bad("provider_secret_lost", found, `run: intake provider update ${lost[0]} --secret-file FILE`);
  }
  const files = rows.flatMap(({ id, file }) => (file === null ? [] : [{ id, file }]));
  for (const { id, file } of files) {
    try {
      readSecretFile(file);
    } catch (error) {
      return bad("provider_secret_unreadable", `nobody can sign in with ${id}: ${(error as Error).message} (${file})`);
    }
  }
  const open = files.find(({ file }) => (statSync(file).mode & othersMayRead) !== 0);
  if (open) {
    return bad("provider_secret_mode", `everybody on this machine can read the secret of ${open.id} (${open.file})`);
  }
  return good(rows.length === 0 ? "none needs a secret" : "each has what it proves Intake with");
}
