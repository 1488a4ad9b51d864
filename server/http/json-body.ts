import { fault } from "../../openapi/check.ts";
import type { Fault } from "../../openapi/schema/errors.ts";
import { InvalidInput } from "./answer.ts";
import { type BodyPatience, BodyTooLarge, readBody } from "./body.ts";
import type { Edge } from "./edge.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads a body that has to be one JSON object of at most `max` bytes; throws `invalid_input` otherwise. */
export async function readJson(
  edge: Edge,
  request: Request,
  max: number,
  patience?: BodyPatience,
): Promise<Record<string, unknown>> {
  const body = jsonObject(request.headers, await readWhole(edge, request, max, patience));
  if (Array.isArray(body)) throw new InvalidInput(body);
  return body;
}

/** Reads the bytes of a body; throws `invalid_input` beyond `max`. */
export async function readWhole(
  edge: Edge,
  request: Request,
  max: number,
  patience?: BodyPatience,
): Promise<Uint8Array> {
  try {
    return await readBody(edge, request, max, patience);
  } catch (error) {
    if (!(error instanceof BodyTooLarge)) throw error;
    const allowed = max.toLocaleString("en");
    throw new InvalidInput([fault("", "too_large", `The body must have at most ${allowed} bytes.`)]);
  }
}

/** Parses a body as one JSON object, or returns what is wrong with it as a whole. */
export function jsonObject(headers: Headers, bytes: Uint8Array): Record<string, unknown> | Fault[] {
  if (!isJson(headers.get("content-type"))) {
    return [fault("", "content_type", "Send the header Content-Type: application/json; the body is UTF-8.")];
  }
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    const coding = headers.get("content-encoding");
    return [
      fault("", "not_utf8", coding ? "Send the body as it is, without Content-Encoding." : "The body must be UTF-8."),
    ];
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // JSON that is nested too deep to be parsed is refused here too: no field needs such depth.
    return [fault("", "not_json", "The body must be one JSON object; this is not JSON.")];
  }
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  return [fault("", "not_object", "The body must be one JSON object.")];
}

/** Whether the media type is JSON, in any case and with any parameter but a charset other than UTF-8. */
function isJson(contentType: string | null): boolean {
  if (contentType === "application/json") return true;
  const [type = "", ...parameters] = (contentType ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json") return false;
  return parameters.every((parameter) => {
    const charset = /^\s*charset\s*=\s*"?([^"]*?)"?\s*$/i.exec(parameter)?.[1];
    return charset === undefined || /^utf-?8$/i.test(charset);
  });
}
