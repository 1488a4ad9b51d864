import type { IngestClient } from "./ingest.ts";
import { thrown } from "./reports/exception.ts";

/** Options of {@link captureErrors}. */
export interface CaptureErrorsOptions {
  /** Capture rejections that nobody handles. Default: true. */
  unhandledRejections?: boolean | undefined;
  /** Return true for errors that are not to be captured. An error is captured when this function throws. */
  ignore?: ((error: unknown) => boolean) | undefined;
}

/** What a page or worker tells of an error that nobody handles: an `ErrorEvent` or a `PromiseRejectionEvent`. */
interface UnhandledEvent {
  error?: unknown;
  message?: string;
  filename?: string;
  lineno?: number;
  colno?: number;
  reason?: unknown;
}

interface Page {
  addEventListener(type: string, listener: (event: UnhandledEvent) => void): void;
  removeEventListener(type: string, listener: (event: UnhandledEvent) => void): void;
}

/**
 * Captures the errors and rejections of a page or worker that nobody handles, as reports of the type `crash`. The browser
 * prints them as before. Where a server renders the page it does nothing.
 *
 * ```ts
 * const stop = captureErrors(reports, { ignore: (error) => String(error).includes("ResizeObserver") });
 * ```
 *
 * @returns a function that stops it.
 */
export function captureErrors(
  client: Pick<IngestClient, "capture">,
  { unhandledRejections = true, ignore }: CaptureErrorsOptions = {},
): () => void {
  const page = globalThis as unknown as Partial<Page>;
  const capture = (error: unknown, otherwise: unknown) => {
    try {
      if (ignore?.(error)) return;
    } catch {}
    client.capture({ exception: thrown(error ?? otherwise), type: "crash" });
  };
  // An error of a script from another origin has no error object, unless the script is loaded with `crossorigin`.
  const onError = ({ error, message, filename, lineno, colno }: UnhandledEvent) =>
    capture(error, `${message} (${filename}:${lineno}:${colno})`);
  const onRejection = ({ reason }: UnhandledEvent) => capture(reason, "undefined");
  page.addEventListener?.("error", onError);
  if (unhandledRejections) page.addEventListener?.("unhandledrejection", onRejection);
  return () => {
    page.removeEventListener?.("error", onError);
    page.removeEventListener?.("unhandledrejection", onRejection);
  };
}

/**
 * Sends the waiting reports of a page when it is hidden or left. What is below 60,000 bytes arrives though the page is gone;
 * what is larger waits in the store, if there is one, for the next page.
 *
 * @returns a function that removes the listeners.
 */
export function flushOnHide(client: Pick<IngestClient, "sendNow">): () => void {
  const { document } = globalThis as { document?: EventTarget & { visibilityState: string } };
  if (!document) return () => {};
  const listening = new AbortController();
  const { signal } = listening;
  const now = () => client.sendNow();
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && now(), { signal });
  addEventListener("pagehide", now, { signal });
  return () => listening.abort();
}
