import { requirePublicUrl, requireUrl } from "../core/settings.ts";
import { resolveOption } from "./command.ts";
import { checked } from "./options.ts";

export const publicUrlOption = checked(
  "U",
  "where people reach this installation, without a path; required for a host that is not loopback",
  requirePublicUrl,
  { env: "INTAKE_PUBLIC_URL" },
);

export const ingestUrlOption = checked("U", "where apps send reports, when that is not the public URL", requireUrl, {
  env: "INTAKE_INGEST_URL",
});

/** The public URL for commands that print a link and have no flag for it. */
export function publicUrlFromEnvironment(): string | undefined {
  return resolveOption("public-url", publicUrlOption, undefined, process.env) as string | undefined;
}

export function ingestUrlFromEnvironment(): string | undefined {
  return resolveOption("ingest-url", ingestUrlOption, undefined, process.env) as string | undefined;
}
