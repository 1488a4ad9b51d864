/** Takes credentials out of a text: the one that was sent, should a server echo it, and whatever looks like one. */
export function redact(text: string, credential = ""): string {
  return text.replaceAll(credential || "\0", "[credential]").replace(/\bi[st]k_\w+/g, "[credential]");
}

/** What an error says, with the reasons below it: Node says "fetch failed" and keeps the cause to itself. Never throws. */
export function reasonOf(error: unknown, credential?: string, depth = 3): string {
  try {
    const { message, code, cause } = Object(error) as { message?: unknown; code?: unknown; cause?: unknown };
    const below = cause && depth ? `: ${reasonOf(cause, "", depth - 1)}` : "";
    return redact(String(message || code || error) + below, credential);
  } catch {
    return "unknown";
  }
}
