import type { Header, Reference } from "../model/openapi.ts";
import { limits } from "../schema/limits.ts";

/** Headers of answers. Every answer that names a `required` header has it. */
export const headers = {
  "X-Request-Id": text("Id of this request, for questions to whoever runs the server.", {
    required: true,
    example: "019a9c1e-6d00-7c3a-9f51-0b7f4b9a2c11",
  }),
  "RateLimit-Policy": text(
    `Requests admitted in any span of so many seconds: q in w, for the credential. Not sent with rate limits off.`,
    { example: `"token";q=${limits.requestsPerWindow};w=${limits.windowSeconds}` },
  ),
  RateLimit: text(
    "Requests left (r), and the seconds until the oldest counted one leaves the span (t). Not sent with rate limits off, nor where an answer comes before the credential is known.",
    { example: `"token";r=59;t=60` },
  ),
  "Retry-After": {
    description: "Whole seconds until the request can be sent again. It goes before RateLimit.",
    required: true,
    schema: { type: "integer", minimum: 1 },
    example: 17,
  },
  Location: {
    description: "The card: url of the body.",
    required: true,
    schema: { type: "string", format: "uri" },
    example: "http://127.0.0.1:3000/cards/019a9c1e-6d02-7b1f-8c44-6a2d9be0f0e3",
  },
  "Idempotent-Replayed": mark("The Idempotency-Key was used before: this is the answer of then."),
  "Idempotency-Mismatch": mark("The key was used before with another body; nothing was done with this one."),
  "WWW-Authenticate": text("How to authenticate.", { required: true, example: "Bearer" }),
  Accept: text("The media type that is taken.", { required: true, example: "multipart/form-data" }),
  "Accept-Encoding": text("The content coding that is taken.", { required: true, example: "identity" }),
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof headers;

export function headerReferences(names: readonly HeaderName[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function text(description: string, { required = false, example }: { required?: boolean; example: string }): Header {
  return { description, required, schema: { type: "string" }, example };
}

function mark(description: string): Header {
  return { description, required: false, schema: { type: "string", enum: ["true"] }, example: "true" };
}
