import type { Target } from "./targets.ts";

interface Called {
  status: number;
  headers: Headers;
  /** The members of the answer. */
  body: Record<string, unknown>;
}

/** Makes a call as a page of this installation does. */
export async function call(
  { send }: Pick<Target, "send">,
  method: string,
  path: string,
  {
    cookie,
    body,
    headers = {},
  }: { cookie?: string | undefined; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Called> {
  const response = await send(path, {
    method,
    headers: {
      "sec-fetch-site": "same-origin",
      "content-type": "application/json",
      ...(cookie === undefined ? {} : { cookie }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type") === "application/json";
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : { text } };
}

/** The cookie that an answer sets, in the form in which the browser sends it back. */
export function cookieOf({ headers }: Pick<Called, "headers">): string {
  return headers.get("set-cookie")?.split(";")[0] ?? "";
}
