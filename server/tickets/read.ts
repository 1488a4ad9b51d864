import { checker, fault } from "../../openapi/check.ts";
import type { Fault } from "../../openapi/schema/errors.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { CreateTicket } from "../../openapi/schema/ticket.ts";
import { InvalidInput } from "../http/answer.ts";
import { BodyTooLarge, readBody } from "../http/body.ts";
import type { Edge } from "../http/edge.ts";

const faultsOf = checker(CreateTicket);
const utf8 = new TextDecoder("utf-8", { fatal: true });

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
  let bytes: Uint8Array;
  try {
    bytes = await readBody(edge, request, limits.ticketBodyBytes);
  } catch (error) {
    throw error instanceof BodyTooLarge ? new InvalidInput([tooLarge]) : error;
  }
  const body = parse(request.headers, bytes);
  const faults = Array.isArray(body) ? body : faultsOf(body);
  if (faults.length > 0) throw new InvalidTicket(faults, digestOf(bytes));
  return { bytes, ticket: body as unknown as CreateTicket };
}

export function digestOf(bytes: Uint8Array): string {
  return Bun.SHA256.hash(bytes, "hex");
}

const most = limits.ticketBodyBytes.toLocaleString("en");
const tooLarge = fault("", "too_large", `The body must have at most ${most} bytes.`);

/** The one JSON object of a body, or what is wrong with the whole. */
function parse(headers: Headers, bytes: Uint8Array): Record<string, unknown> | Fault[] {
  if (!isJson(headers.get("content-type"))) {
    return [fault("", "content_type", "Send the header Content-Type: application/json; the body is UTF-8.")];
  }
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return [fault("", "not_utf8", "The body must be UTF-8.")];
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // Too deep nesting ends here too: it is no ticket whatever it says.
    return [fault("", "not_json", "The body must be one JSON object; this is not JSON.")];
  }
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  return [fault("", "not_object", "The body must be one JSON object.")];
}

/** The media type in any case, with any parameter but a charset other than UTF-8. */
function isJson(contentType: string | null): boolean {
  if (contentType === "application/json") return true;
  const [type = "", ...parameters] = (contentType ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json") return false;
  return parameters.every((parameter) => {
    const charset = /^\s*charset\s*=\s*"?([^"]*?)"?\s*$/i.exec(parameter)?.[1];
    return charset === undefined || /^utf-?8$/i.test(charset);
  });
}
