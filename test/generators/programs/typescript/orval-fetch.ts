/** The address and the credential of requests: set before the first one. */
export const settings = { url: "", credential: "" };

/** Sends the requests of the generated functions. */
export async function orvalFetch<T>(path: string, init: RequestInit): Promise<T> {
  const headers = new Headers(init.headers);
  headers.set("Authorization", `Bearer ${settings.credential}`);
  const response = await fetch(settings.url + path, { ...init, headers });
  return { status: response.status, data: await response.json(), headers: response.headers } as T;
}
