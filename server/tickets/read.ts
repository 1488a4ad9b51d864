import { checker } from "../../openapi/check.ts";
import type { Fault } from "../../openapi/schema/errors.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { CreateTicket } from "../../openapi/schema/ticket.ts";
import { InvalidInput } from "../http/answer.ts";
import type { Edge } from "../http/edge.ts";
import { jsonObject, readWhole } from "../http/json-body.ts";

const faultsOf = checker(CreateTicket);

/** A body that was read whole, and the ticket it holds. */
export interface ReadTicket {
  bytes: Uint8Array;
  ticket: CreateTicket;
}

/** A body that was read whole and holds no ticket. The digest is that of the bytes. */
export class InvalidTicket extends InvalidInput {
  constructor(
    faults: readonly Fault[],
    readonly bodyDigest: string,
  ) {
    super(faults);
  }
}

/** Row 6 of the order of answers: the request's body as a checked ticket, or every fault that was found. */
export async function readTicket(edge: Edge, request: Request): Promise<ReadTicket> {
  const bytes = await readWhole(edge, request, limits.ticketBodyBytes);
  const body = jsonObject(request.headers, bytes);
  const faults = Array.isArray(body) ? body : faultsOf(body);
  if (faults.length > 0) throw new InvalidTicket(faults, digestOf(bytes));
  return { bytes, ticket: body as unknown as CreateTicket };
}

export function digestOf(bytes: Uint8Array): string {
  return Bun.SHA256.hash(bytes, "hex");
}
