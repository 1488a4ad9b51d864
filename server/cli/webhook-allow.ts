import { requireAllow } from "../webhooks/addresses/ssrf-guard.ts";
import { checked, many } from "./options.ts";

/** The flag of the server, which delivers, and of the commands that check an address. */
export const webhookAllowOption = allowOption(
  "address or range that webhooks may reach although it is not public, also over http; repeat or separate by commas",
  "INTAKE_WEBHOOK_ALLOW",
);

/** A flag that allows addresses that are not public. */
export function allowOption(about: string, env: string) {
  return many(checked("C", about, requireAllows, { env }));
}

function requireAllows(list: string): string {
  return list
    .split(",")
    .map((one) => requireAllow(one.trim()))
    .join(",");
}
