import page from "./setup.html" with { type: "text" };

const html = page as unknown as string;

/** The page behind the setup link. Its one style and one script are allowed by their digests, nothing else is. */
export function setupPage(requestId: string): Response {
  return new Response(html, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-request-id": requestId,
    },
  });
}

const policy = [
  "default-src 'none'",
  `style-src ${digestOf("style")}`,
  `script-src ${digestOf("script")}`,
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

function digestOf(element: "style" | "script"): string {
  const text = new RegExp(`<${element}>([^]*?)</${element}>`).exec(html)?.[1] ?? "";
  return `'sha256-${Bun.SHA256.hash(text, "base64")}'`;
}
