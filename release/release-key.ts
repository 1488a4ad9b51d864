import { readFileSync } from "node:fs";
import { readSecretKey, type SecretKey } from "./minisign.ts";

const names = ["INTAKE_RELEASE_KEY", "INTAKE_RELEASE_KEY_FILE", "INTAKE_RELEASE_KEY_PASSWORD"];

/** The key from the environment or the file that it names; it is never an argument, which other users could read. */
export function releaseKey(environment: NodeJS.ProcessEnv): SecretKey {
  const {
    INTAKE_RELEASE_KEY: text,
    INTAKE_RELEASE_KEY_FILE: path,
    INTAKE_RELEASE_KEY_PASSWORD: password,
  } = environment;
  if (!text && !path) throw new Error("no key: set INTAKE_RELEASE_KEY_FILE, or give --unsigned");
  return readSecretKey(text || readFileSync(path ?? "", "utf8"), password || undefined);
}

/** The environment of everything that builds. */
export function withoutKey(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.includes(name)));
}
