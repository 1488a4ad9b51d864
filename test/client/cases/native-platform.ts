import { ok } from "./check.ts";

/** What Node has and React Native lacks. Node's own fetch needs `ReadableStream`. */
const missing = ["CompressionStream", "DecompressionStream", "structuredClone", "crypto"];

interface NodeFiles {
  mkdtempSync(prefix: string): string;
  readFileSync(path: URL): Uint8Array;
  writeFileSync(path: string, bytes: Uint8Array): void;
  rmSync(path: string, options: { recursive: boolean }): void;
}

const { process } = globalThis as unknown as { process: { getBuiltinModule(name: string): unknown } };
const files = () => process.getBuiltinModule("node:fs") as NodeFiles;

/** Removes from this process what React Native lacks, and replaces it with what React Native has. */
export function becomeNative(own: Record<string, unknown>, more: readonly string[] = []) {
  for (const name of [...missing, ...more]) {
    Object.defineProperty(globalThis, name, { value: undefined, configurable: true });
  }
  Object.defineProperty(globalThis, "navigator", { value: { product: "ReactNative" }, configurable: true });
  Object.assign(AbortSignal, { any: undefined, timeout: undefined });
  Object.assign(globalThis, own);
}

/** A file as React Native's image picker returns it. */
export async function withFile(bytes: Uint8Array, act: (uri: string) => Promise<void>) {
  const folder = files().mkdtempSync("/tmp/intake-native-");
  try {
    files().writeFileSync(`${folder}/photo.png`, bytes);
    await act(`file://${folder}/photo.png`);
  } finally {
    files().rmSync(folder, { recursive: true });
  }
}

/** What the native side does with the URI of a file. */
export function bytesAt(uri: string): Uint8Array<ArrayBuffer> {
  const [, data] = /^data:[^,]*;base64,(.*)$/.exec(uri) ?? [];
  if (data !== undefined) return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  ok(uri.startsWith("file:"), `no file: ${uri}`);
  return Uint8Array.from(files().readFileSync(new URL(uri)));
}
