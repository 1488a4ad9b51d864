const phrases: Record<string, string> = {
  200: "OK",
  201: "Created",
  204: "No Content",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

export function phraseOf(status: string | number): string {
  return phrases[status] ?? "";
}

/** The class that colours a status. */
export function kindOf(status: string | number): "ok" | "warn" | "err" {
  const first = String(status)[0];
  return first === "2" ? "ok" : first === "4" ? "warn" : "err";
}
