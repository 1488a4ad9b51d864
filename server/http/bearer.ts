/**
 * The credential of `Authorization: Bearer …` (RFC 6750 2.1, RFC 9110 11.4): scheme in any case, one or more blanks.
 * Two header lines arrive joined by a comma and are therefore none.
 */
export function bearerOf(headers: Headers): string | undefined {
  return /^bearer +(\w{1,256})$/i.exec(headers.get("authorization") ?? "")?.[1];
}
