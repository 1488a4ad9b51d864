import { readRegularFile } from "../../core/read-regular-file.ts";
import { databaseUrl } from "../place-variables.ts";

/** Bytes of a file with a secret that are looked for. */
const fileMax = 65_536;

type Environment = Record<string, string | undefined>;

const secretName = /SECRET|PASSW|TOKEN|KEY|CREDENTIAL|AUTH|COOKIE/i;

/**
 * Secrets of this installation that could stand in a text without looking like one: values of the environment, of files
 * that the environment names, and of files in the data directory.
 */
export function knownSecrets(folder: string, keyPath: string, environment: Environment): string[] {
  const secrets: string[] = [];
  for (const [name, value] of Object.entries(environment)) {
    if (!value) continue;
    if (name.endsWith("_FILE") && secretName.test(name)) secrets.push(contentsOf(value));
    else if (secretName.test(name)) secrets.push(value);
    else secrets.push(...partsOf(value));
  }
  try {
    secrets.push(...partsOf(databaseUrl(environment) ?? ""));
  } catch {
    // Whatever it is, nobody can read it.
  }
  secrets.push(contentsOf(keyPath), ...contentsOf(`${folder}/setup-link`).split(/[\s#]+/));
  return secrets.map((secret) => secret.trim()).filter((secret) => secret !== "");
}

/** User, password, query and fragment of an address, as they are written and as they are meant. */
function partsOf(value: string): string[] {
  const url = URL.parse(value);
  if (url === null) return [];
  const query = [...url.searchParams.values()];
  return [url.password, decoded(url.password), ...query, url.hash.slice(1)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function contentsOf(path: string): string {
  try {
    return readRegularFile(path, fileMax);
  } catch {
    return "";
  }
}
