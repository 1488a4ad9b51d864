/** The first of `codings` that an `Accept-Encoding` header names with a weight above zero (RFC 9110, 12.5.3). */
export function acceptedCoding<const Coding extends string>(
  header: string | null,
  codings: readonly Coding[],
): Coding | undefined {
  const accepted = new Set<string>();
  for (const part of (header ?? "").split(",")) {
    const [name = "", ...parameters] = part.toLowerCase().split(";");
    const refused = parameters.some((parameter) => /^\s*q\s*=\s*0(?:\.0*)?\s*$/.test(parameter));
    if (!refused) accepted.add(name.trim());
  }
  return codings.find((coding) => accepted.has(coding));
}
