import type { Trail } from "./ingest.ts";

/** Something that happened in the app. */
export interface Breadcrumb {
  /** Sort of event, for example `tap`, `navigation`, `console` or `fetch`. */
  category: string;
  /** What happened, in words; up to 1,000 characters are kept. */
  message: string;
  /** Default: none. */
  level?: "fatal" | "error" | "warning" | "info" | "debug" | undefined;
  /** Further facts: a JSON value of up to 2,000 characters; a larger one is left out. */
  data?: unknown;
}

/** Options of {@link breadcrumbs}. */
export interface BreadcrumbsOptions {
  /** How many are kept; the oldest is forgotten. Default: 50. */
  max?: number | undefined;
  /** Record what is written to the console. Default: false. */
  console?: boolean | undefined;
  /** Record requests of the global `fetch`: method, address without its query, status and duration. Default: false. */
  fetch?: boolean | undefined;
}

/** Records what happens before a report. */
export interface Breadcrumbs extends Trail {
  /** Adds an entry, with the present time. Never throws. */
  add(breadcrumb: Breadcrumb): void;
  /** Stops the recording of the console and of requests. */
  stop(): void;
}

const messageMax = 1_000;
const dataMax = 2_000;
const levels = { debug: "debug", log: "info", info: "info", warn: "warning", error: "error" } as const;

/**
 * Records the last events of an app, which go along with every report of a client.
 *
 * ```ts
 * const trail = breadcrumbs({ console: true, fetch: true });
 * const reports = new IngestClient({ ingestUrl, key, breadcrumbs: trail });
 * trail.add({ category: "tap", message: "Pay now" });
 * ```
 */
export function breadcrumbs({ max = 50, console: ofConsole, fetch: ofFetch }: BreadcrumbsOptions = {}): Breadcrumbs {
  const entries: unknown[] = [];
  const restores: (() => void)[] = [];

  const add = ({ category, message, level, data }: Breadcrumb) => {
    entries.push({ at: new Date().toISOString(), category, level, message: textOf(message), data: copyOf(data) });
    while (entries.length > max) entries.shift();
  };

  if (ofConsole) {
    for (const name of Object.keys(levels) as (keyof typeof levels)[]) {
      restores.push(
        wrap(console, name, (write) => (...given: unknown[]) => {
          add({ category: "console", level: levels[name], message: given.slice(0, 20).map(textOf).join(" ") });
          write.apply(console, given);
        }),
      );
    }
  }

  if (ofFetch) {
    restores.push(
      wrap(
        globalThis as { fetch: (...given: Parameters<typeof fetch>) => Promise<Response> },
        "fetch",
        (request) =>
          async (...given: Parameters<typeof fetch>) => {
            const began = performance.now();
            const { method, url } = aboutRequest(...given);
            const done = (level: Breadcrumb["level"], outcome: unknown) => {
              const ms = Math.round(performance.now() - began);
              add({ category: "fetch", level, message: `${method} ${url}: ${textOf(outcome)}`, data: { ms } });
            };
            try {
              const response = await request(...given);
              done(response.ok ? "info" : "warning", response.status);
              return response;
            } catch (error) {
              done("error", error);
              throw error;
            }
          },
      ),
    );
  }

  return {
    add(breadcrumb) {
      try {
        add(breadcrumb);
      } catch {}
    },
    entries: () => [...entries],
    stop() {
      for (const restore of restores.splice(0)) restore();
    },
  };
}

/** Replaces a function and returns the function that puts it back, unless somebody else has replaced it since. */
function wrap<Owner extends object, Name extends keyof Owner>(
  owner: Owner,
  name: Name,
  around: (own: Owner[Name]) => Owner[Name],
): () => void {
  const own = owner[name];
  const wrapped = around(own);
  owner[name] = wrapped;
  return () => {
    if (owner[name] === wrapped) owner[name] = own;
  };
}

/** Method and address of a request. Query, fragment and credentials of the address are left out: they may be secret. */
function aboutRequest(input: unknown, init?: { method?: string | undefined }) {
  const { url = input, method = "GET" } = Object(input) as { url?: unknown; method?: string };
  const address = textOf(url)
    .replace(/[?#].*$/s, "")
    .replace(/\/\/[^/@]*@/, "//");
  return { method: textOf(init?.method ?? method).toUpperCase(), url: address };
}

/** Any value as a short text; an error as its name and message. */
function textOf(value: unknown): string {
  try {
    const plain = typeof value === "object" && !(value instanceof Error) && !(value instanceof URL);
    return String(plain ? JSON.stringify(value) : value).slice(0, messageMax);
  } catch {
    return "";
  }
}

/** A copy of a value that JSON can hold. */
function copyOf(data: unknown): unknown {
  try {
    const text = JSON.stringify(data);
    return text.length <= dataMax ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
