import openapiTypescript, { astToString } from "openapi-typescript";
import ts from "typescript";

/**
 * The types of a document as TypeScript. Binary strings become `Blob`, declared in the file itself: without the types
 * of the DOM, the file declares the members that every runtime's Blob has.
 */
export async function clientTypes(document: object): Promise<string> {
  const nodes = await openapiTypescript(JSON.stringify(document), {
    silent: true,
    // A member with a default is optional in requests.
    defaultNonNullable: false,
    transform: ({ format }) => (format === "binary" ? blob : undefined),
  });
  return `${blobType}\n${astToString(nodes)}`;
}

const blob = ts.factory.createTypeReferenceNode("Blob");

const blobType = [
  "/** The runtime's own Blob, or the part of it that is used where its types are not loaded. */",
  "export type Blob = typeof globalThis extends { Blob: { prototype: infer B } }",
  "  ? B",
  "  : { readonly size: number; readonly type: string; arrayBuffer(): Promise<ArrayBuffer> };",
  "",
].join("\n");
