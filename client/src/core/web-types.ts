/**
 * Types of the web platform that appear in the public types of this package. Where the platform's own types are loaded
 * (DOM, Node, Bun, Deno, Workers) these are the same types; elsewhere a shape with the members that this package uses,
 * so that apps compile without the types of the DOM.
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

/** The second argument of {@link Fetch}. */
export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body: string | ArrayBuffer;
  redirect: "manual";
  keepalive?: boolean;
  signal: Signal;
}

/** The part of `fetch` that this package uses. The platform's `fetch` has this type; so may a function of your own. */
export type Fetch = (url: string, init: FetchInit) => Promise<HttpResponse>;

/** `Blob`, `File`, or any object with the same members. `size` is in bytes. */
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
