import { allowOption } from "./webhook-allow.ts";

/** The flag of the server, at which people sign in, and of the commands that check or ask a provider. */
export const providerAllowOption = allowOption(
  "address or range of an identity provider although it is not public, also over http; repeat or separate by commas",
  "INTAKE_PROVIDER_ALLOW",
);
