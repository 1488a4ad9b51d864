import { timingSafeEqual } from "node:crypto";
import type { Sealing } from "../core/sealing.ts";
import type { Edge } from "./edge.ts";

/**
 * The header with which `intake doctor` asks what a request through the proxy looks like to the server. Its value proves
 * that whoever asks can read `secret.key`: nobody else is told what a proxy adds.
 */
export const seenRequestHeader = "x-intake-doctor";

/** What the server has seen of a request. */
export interface SeenRequest {
  /** The other end of the connection: a proxy, or the client itself. */
  peer: string | undefined;
  /** The address by which limits count. */
  source: string | undefined;
  forwardedFor: string | null;
}

const validMilliseconds = 60_000;
const shape = /^(\d{13})\.([0-9a-f]{32})\.([\w-]{32})$/;

/** The value of the header, good for a minute. */
export function proveOperator(sealing: Sealing, now = Date.now()): string {
  const about = `${now}.${Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex")}`;
  return `${about}.${sealing.doctorCode(about)}`;
}

/** What is told of a request; undefined unless its header proves that the operator asks. */
export function seenRequest(
  edge: Pick<Edge, "peerOf" | "sourceOf">,
  sealing: Sealing,
  request: Request,
): SeenRequest | undefined {
  const proof = request.headers.get(seenRequestHeader);
  if (proof === null || !isProof(sealing, proof)) return undefined;
  return {
    peer: edge.peerOf(request),
    source: edge.sourceOf(request),
    forwardedFor: request.headers.get("x-forwarded-for"),
  };
}

function isProof(sealing: Sealing, proof: string): boolean {
  const [, at, nonce, code = ""] = shape.exec(proof) ?? [];
  if (at === undefined || Math.abs(Date.now() - Number(at)) > validMilliseconds) return false;
  const wanted = Buffer.from(sealing.doctorCode(`${at}.${nonce}`));
  const given = Buffer.from(code);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
