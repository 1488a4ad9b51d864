import { limits } from "../../openapi/schema/limits.ts";
import type { SsrfGuard } from "../webhooks/addresses/ssrf-guard.ts";
import type { Connections } from "../webhooks/sender/connections.ts";

const answerBytesMax = 262_144;

interface FetchInit {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal;
}

/** Asks identity providers: only at addresses that are allowed, without following redirects, in bounded time and memory. */
export class GuardedFetch {
  readonly #addresses: SsrfGuard;
  readonly #connections: Connections;
  readonly #seconds: number;

  /** `seconds`: the longest time for the whole answer. */
  constructor({
    addresses,
    connections,
    seconds = limits.providerSeconds,
  }: {
    addresses: SsrfGuard;
    connections: Connections;
    seconds?: number;
  }) {
    this.#addresses = addresses;
    this.#connections = connections;
    this.#seconds = seconds;
  }

  /** Like the global `fetch`, for a GET or POST with a text as body. The answer has 256 KiB at most. */
  readonly fetch = async (
    url: string,
    { method = "GET", headers = {}, body, signal }: FetchInit = {},
  ): Promise<Response> => {
    const target = await this.#addresses.resolve(url);
    const bytes = Buffer.from(body === undefined || body === null ? "" : String(body));
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const request = this.#connections.open(target, {
      method: method === "POST" ? "POST" : "GET",
      headers: { "user-agent": "Intake", ...headers },
      length: bytes.length,
      fresh: true,
    });
    const fail = (message: string) => {
      reject(new Error(`${target.url.host} ${message}`));
      request.destroy();
    };
    const timer = setTimeout(() => fail(`did not answer within ${this.#seconds} s`), this.#seconds * 1_000);
    signal?.addEventListener("abort", () => fail("did not answer in time"), { once: true });
    request
      .on("error", (error: Error & { code?: string }) => fail(`cannot be reached (${error.code ?? error.message})`))
      .on("upgrade", () => fail("does not speak HTTP as expected"))
      .on("response", (answer) => {
        const chunks: Uint8Array[] = [];
        let length = 0;
        answer
          .on("data", (chunk: Uint8Array) => {
            length += chunk.length;
            if (length > answerBytesMax) fail(`answered with more than ${answerBytesMax / 1_024} KiB`);
            else chunks.push(chunk);
          })
          .on("error", () => fail("ended its answer too early"))
          .on("close", () => fail("ended its answer too early"))
          .on("end", () => resolve(responseOf(answer, Buffer.concat(chunks))));
      });
    request.end(bytes);
    return promise.finally(() => clearTimeout(timer));
  };
}

function responseOf(
  { statusCode = 502, headers }: { statusCode?: number | undefined; headers: NodeJS.Dict<string | string[]> },
  body: Uint8Array<ArrayBuffer>,
): Response {
  const type = headers["content-type"];
  return new Response([204, 205, 304].includes(statusCode) ? null : body, {
    status: statusCode,
    headers: typeof type === "string" ? { "content-type": type } : {},
  });
}
