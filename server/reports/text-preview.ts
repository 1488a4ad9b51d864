import { type Context, Refusal } from "../core/context.ts";
import { bytesOf, type Files } from "../store/files.ts";
import { attachmentFile } from "./attachment-file.ts";

interface TextPreview {
  text: string;
  /** Whether the file has more text than the preview. */
  cut: boolean;
  /** Size of the whole file, in bytes. */
  size: number;
}

const previewBytes = 65_536;

/** The beginning of an attachment as text, without the colour codes of terminals. */
export async function previewText({
  ctx,
  files,
  input,
}: {
  ctx: Context;
  files: Files;
  input: { id: string };
}): Promise<TextPreview> {
  const { file } = await attachmentFile({ ctx, files, input });
  const { size } = file;
  const start = await bytesOf(file, 0, Math.min(size, previewBytes));
  const text = decode(start, size > previewBytes);
  if (text === undefined) throw new Refusal("conflict", "This attachment is not text. It can be downloaded.");
  return { text: Bun.stripANSI(text), cut: size > previewBytes, size };
}

function decode(bytes: Uint8Array, cut: boolean): string | undefined {
  const [first, second] = bytes;
  const wide =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : undefined;
  if (wide === undefined && bytes.includes(0)) return undefined;
  // A character that the preview cuts in two is not an error of the text.
  return new TextDecoder(wide ?? "utf-8").decode(bytes, { stream: cut });
}
