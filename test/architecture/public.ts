import manifest from "../../client/package.json";

/** `./esm/queue.js` is made of `client/src/queue.ts`. */
const packageEntries = Object.values(manifest.exports).flatMap((entry) =>
  typeof entry === "string" ? [] : [entry.import.default.replace(/^\.\/esm\/(.+)\.js$/, "client/src/$1.ts")],
);

/** Files with exports that nothing in the project imports, each group with its reason. */
const publicFiles: { reason: string; has: (file: string) => boolean }[] = [
  {
    reason: "the package @intake/client exports them",
    has: (file) => packageEntries.includes(file),
  },
  {
    reason: "made of the OpenAPI document, with operations that the client does not call",
    has: (file) => file.startsWith("client/src/generated/"),
  },
  {
    reason: "programs that use the package or a generated client, compiled by themselves",
    has: (file) => /^test\/(package\/uses|generators\/programs)\//.test(file),
  },
];

export const isPublic = (file: string): boolean => publicFiles.some(({ has }) => has(file));
