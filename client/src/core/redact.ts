/** Replaces credentials in a text: the given one, which a server may have echoed, and every text that looks like one. */
export function redact(text: string, credential = ""): string {
  return text.replaceAll(credential || "\0", "[credential]").replace(/\bi[st]k_\w+/g, "[credential]");
}

/**
 * The message of an error followed by the messages of its causes, without credentials. Node's fetch says only "fetch
 * failed" and puts the reason into `cause`. Never throws.
 */
export function reasonOf(error: unknown, credential?: string, depth = 3): string {
  try {
    const { message, code, cause } = Object(error) as { message?: unknown; code?: unknown; cause?: unknown };
    const causes = cause && depth ? `: ${reasonOf(cause, "", depth - 1)}` : "";
    return redact(String(message || code || error) + causes, credential);
  } catch {
    return "unknown";
  }
}
