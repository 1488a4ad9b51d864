import type { Edge } from "./edge.ts";

/** The header in which an SDK names itself: `name/version`, such as `@intake/client/0.1.0`, and perhaps `; runtime`. */
const name = "x-intake-sdk";
const loggedMax = 128;

/** Counts a request by the SDK that sent it. `authenticated`: the credential of the request was valid. */
export function countSdk(edge: Edge, { headers }: Request, authenticated: boolean) {
  const sdk = headers.get(name);
  if (sdk !== null) edge.sdkSeen(sdk, authenticated);
}

/** Names the SDK in the log line of a refusal, without characters that could control a terminal. */
export function aboutSdk({ headers }: Request): Record<string, string> {
  const sdk = headers.get(name);
  return sdk === null ? {} : { sdk: sdk.replace(/[^ -~]/g, "?").slice(0, loggedMax) };
}
