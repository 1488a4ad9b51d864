import { fault } from "../../openapi/check.ts";
import type { Fault } from "../../openapi/schema/errors.ts";
import { InvalidInput } from "./answer.ts";
import { type BodyPatience, BodyTooLarge, readBody } from "./body.ts";
import type { Edge } from "./edge.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The body of a request that has to be one JSON object; `invalid_input` otherwise. */
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

/** Its bytes, at most `max`. */
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
    const most = max.toLocaleString("en");
    throw new InvalidInput([fault("", "too_large", `The body must have at most ${most} bytes.`)]);
  }
}

/** The one JSON object of a body, or what is wrong with the whole. */
export function jsonObject(headers: Headers, bytes: Uint8Array): Record<string, unknown> | Fault[] {
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
    // Too deep nesting ends here too: it says nothing that is wanted.
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
