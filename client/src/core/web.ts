/**
 * What of the web platform stands in public types. Where the platform's own types are loaded (DOM, Node, Bun, Deno,
 * Workers) they are meant; elsewhere a shape that is enough, so that nobody needs the DOM's to compile.
 */
type Global<Name extends string, Otherwise> =
  typeof globalThis extends Record<Name, { prototype: infer Type }> ? Type : Otherwise;

/** `AbortSignal`. */
export type Signal = Global<
  "AbortSignal",
  {
    readonly aborted: boolean;
    addEventListener(type: "abort", listener: () => void): void;
    removeEventListener(type: "abort", listener: () => void): void;
  }
>;

/** `Response`. */
export type HttpResponse = Global<
  "Response",
  {
    readonly status: number;
    readonly redirected: boolean;
    readonly type: string;
    readonly headers: { get(name: string): string | null; has(name: string): boolean };
    text(): Promise<string>;
  }
>;

/** What {@link Fetch} is called with. */
export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body: string | ArrayBuffer;
  redirect: "manual";
  keepalive?: boolean;
  signal: Signal;
}

/** The part of `fetch` that is used: the platform's own fits, and so does one of your own. */
export type Fetch = (url: string, init: FetchInit) => Promise<HttpResponse>;

/** `Blob`, `File`, and anything that can be read like them. `size` is in bytes. */
export interface BlobLike {
  readonly size: number;
  readonly type: string;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** A `ReadableStream` of bytes. It is read once, when the report is packed. */
export interface ByteStream {
  getReader(): {
    read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
    cancel(reason?: unknown): Promise<void>;
  };
}
