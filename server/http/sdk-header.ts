import type { Edge } from "./edge.ts";

/** `name/version`, such as `@intake/client/0.1.0`, and perhaps `; runtime`: what an SDK says of itself. */
const name = "x-intake-sdk";
const loggedMax = 128;

/** Counts a request of an SDK. `known`: it came with a valid credential. */
export function countSdk(edge: Edge, { headers }: Request, known: boolean) {
  const sdk = headers.get(name);
  if (sdk !== null) edge.sdkSeen(sdk, known);
}

/** For the log line of a refusal; what could steer a terminal is taken out. */
export function aboutSdk({ headers }: Request): Record<string, string> {
  const sdk = headers.get(name);
  return sdk === null ? {} : { sdk: sdk.replace(/[^ -~]/g, "?").slice(0, loggedMax) };
}
