/** Replaces credentials in a text, which a server may have echoed: whole ones anywhere, and at the start of a word also the beginning of one. */
export function redact(text: string): string {
  return text.replace(/\bi[st]k_\w+|i[st]k_\w{36,}/g, "[credential]");
}

/**
 * The message of an error followed by the messages of its causes, without credentials. Node's fetch says only "fetch
 * failed" and puts the reason into `cause`. Never throws.
 */
export function reasonOf(error: unknown, depth = 3): string {
  try {
    const { message, code, cause } = Object(error) as { message?: unknown; code?: unknown; cause?: unknown };
    const causes = cause && depth ? `: ${reasonOf(cause, depth - 1)}` : "";
    return redact(String(message || code || error) + causes);
  } catch {
    return "unknown";
  }
}
