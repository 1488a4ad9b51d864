import type { Target } from "./targets.ts";

/** A browser without pages: it keeps cookies of Intake and follows a sign-in to the provider and back. */
export class BrowserAtProvider {
  readonly cookies = new Map<string, string>();
  readonly #send: Target["send"];

  constructor({ send }: Pick<Target, "send">) {
    this.#send = send;
  }

  async call(method: string, path: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
    const response = await this.request(path, {
      method,
      headers: { "sec-fetch-site": "same-origin", "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  async request(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { "sec-fetch-site": "cross-site", ...(init.headers as object), ...(cookie ? { cookie } : {}) };
    const response = await this.#send(path, { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      const [name = "", value = ""] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];
      if (value === "") this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  /** Begins a sign-in; the address of the provider. */
  async begin(provider: string, next?: string): Promise<string> {
    const { status, body } = await this.call("POST", "/internal/session/provider", {
      provider,
      ...(next ? { next } : {}),
    });
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return String(body["url"]);
  }

  /** What the provider sends the browser back to. */
  async atProvider(url: string): Promise<URL> {
    const response = await fetch(url, { redirect: "manual" });
    return new URL(response.headers.get("location") ?? "");
  }

  /** Brings the provider's answer; where the browser is sent on to. */
  async comeBack(back: URL): Promise<string> {
    const response = await this.request(back.pathname + back.search);
    return response.headers.get("location") ?? `${response.status} ${await response.text()}`;
  }

  async signIn(provider: string, next?: string): Promise<string> {
    return this.comeBack(await this.atProvider(await this.begin(provider, next)));
  }

  async me(): Promise<Record<string, unknown> | undefined> {
    const { status, body } = await this.call("GET", "/internal/me");
    return status === 200 ? body : undefined;
  }
}
