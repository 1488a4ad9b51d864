import type { FileReference, Part } from "./reports/attachment.ts";
import type { NativeForms } from "./reports/multipart-form.ts";
import { join } from "./reports/read-bytes.ts";

export { asyncStorageStore } from "./reports/async-storage.ts";
export type { FileReference } from "./reports/attachment.ts";
export type { NativeForms } from "./reports/multipart-form.ts";

/** `[`, with which the JSON of a form with unread files begins. */
const openingBracket = 0x5b;

/**
 * Lets attachments be files of React Native, `{ uri, name, type }`. Where the platform can read files their bytes are sent
 * like those of other attachments. Old versions of React Native cannot; they can only send a `FormData` that names a file.
 * Such a report is kept as the JSON of the form's fields, in ASCII, until it is sent. Its envelope is not compressed,
 * because their `FormData` takes text and files only.
 *
 * ```ts
 * const reports = new IngestClient({ ingestUrl, key, native: reactNative });
 * ```
 */
export const reactNative: NativeForms = {
  read(data) {
    const { uri } = Object(data) as FileReference;
    // Only in React Native: on a server, data from outside could name any URL or a file of the server here.
    return uri && isNative() ? readFile(data as FileReference) : undefined;
  },
  encode(text, parts) {
    return parts.every(({ data }) => data instanceof Uint8Array) ? undefined : encodeFields(text, parts);
  },
  request(form) {
    if (form[0] !== openingBracket) return undefined;
    try {
      const body = new FormData();
      for (const [name, value] of JSON.parse(characters(form))) body.append(name, value);
      return { headers: {}, body: body as unknown as ArrayBuffer };
    } catch {
      // The store has damaged it.
      return undefined;
    }
  },
};

async function readFile(file: FileReference): Promise<Uint8Array | FileReference> {
  try {
    return new Uint8Array(await (await fetch(file.uri)).arrayBuffer());
  } catch {
    return file;
  }
}

function encodeFields(text: string, parts: readonly Part[]): Uint8Array {
  const files = parts.map(({ _reference: { part, filename: name, contentType: type }, data }) => {
    const uri = data instanceof Uint8Array ? `data:${type};base64,${btoa(characters(data))}` : data.uri;
    return [part, { uri, name, type }];
  });
  const json = JSON.stringify([["envelope", text], ...files]);
  return join([json.replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)]);
}

/** A string with one character for each byte. */
function characters(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

function isNative(): boolean {
  return (globalThis as { navigator?: { product?: string } }).navigator?.product === "ReactNative";
}
