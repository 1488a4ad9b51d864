/**
 * The MIME type that the first bytes of an attachment show, whatever its name and `Content-Type` say; null when they
 * show none. `file-type` is loaded with the first attachment: loading it costs 5 ms and some MB of memory.
 */
export async function sniffContentType(head: Uint8Array): Promise<string | null> {
  const { fileTypeFromBuffer } = await import("file-type");
  return (await fileTypeFromBuffer(head))?.mime ?? null;
}
