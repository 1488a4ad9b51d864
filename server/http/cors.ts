import type { HeaderFields } from "./answer.ts";

/**
 * Apps in browsers send reports from any origin. No cookie or other standing credential is involved, so `*` gives
 * nothing away; a key may have a list of origins of its own, which the POST checks.
 */
export const cors: Readonly<HeaderFields> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "Retry-After, RateLimit, RateLimit-Policy, X-Request-Id",
};

const preflightSeconds = 7_200;

/** Answers an `OPTIONS` request. It always allows the POST, whose answer then says with a reason what is wrong. */
export function preflight(request: Request): Response {
  const requested = request.headers.get("access-control-request-headers") ?? "";
  const names = /^[\w!#$%&'*+.^`|~, -]{1,1000}$/.test(requested)
    ? requested
    : "authorization, content-type, x-intake-sdk";
  return new Response(null, {
    status: 204,
    headers: {
      ...cors,
      "access-control-allow-methods": "POST, OPTIONS",
      "access-control-allow-headers": names,
      "access-control-max-age": String(preflightSeconds),
      vary: "Access-Control-Request-Headers",
    },
  });
}
