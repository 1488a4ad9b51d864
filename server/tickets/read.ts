import { checker, fault } from "../../openapi/check.ts";
import type { FaultCode } from "../../openapi/schema/errors.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { CreateTicket } from "../../openapi/schema/ticket.ts";
import { InvalidInput } from "../http/answer.ts";

const faultsOf = checker(CreateTicket);
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Row 6 of the order of answers: bytes to a checked ticket, or every fault that was found. */
export function readTicket(headers: Headers, bytes: Uint8Array): CreateTicket {
  requireJson(headers.get("content-type"));
  const body = parse(bytes);
  const faults = faultsOf(body);
  if (faults.length > 0) throw new InvalidInput(faults);
  return body as unknown as CreateTicket;
}

export function whole(code: FaultCode, message: string): InvalidInput {
  return new InvalidInput([fault("", code, message)]);
}

export const tooLarge = () =>
  whole("too_large", `The body must have at most ${limits.ticketBodyBytes.toLocaleString("en")} bytes.`);

/** The media type in any case, with any parameter but a charset other than UTF-8. */
function requireJson(contentType: string | null) {
  const [type = "", ...parameters] = (contentType ?? "").split(";");
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*"?([^"]*?)"?\s*$/i.exec(parameter)?.[1])
    .find((value) => value !== undefined);
  if (type.trim().toLowerCase() !== "application/json" || (charset !== undefined && !/^utf-?8$/i.test(charset))) {
    throw whole("content_type", "Send the header Content-Type: application/json; the body is UTF-8.");
  }
}

function parse(bytes: Uint8Array): Record<string, unknown> {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw whole("not_utf8", "The body must be UTF-8.");
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // Too deep nesting ends here too: it is no ticket whatever it says.
    throw whole("not_json", "The body must be one JSON object; this is not JSON.");
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw whole("not_object", "The body must be one JSON object.");
  }
  return body as Record<string, unknown>;
}
