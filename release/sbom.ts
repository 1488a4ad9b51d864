import type { Component } from "./components.ts";

interface Source {
  version: string;
  commit: string;
  seconds: number;
}

/** A bill of materials in CycloneDX 1.6, made of bun.lock: what is inside the binary, with the digests of the registry. */
export function sbom(
  { version, commit, seconds }: Source,
  direct: readonly string[],
  all: readonly Component[],
): string {
  const self = `pkg:generic/intake@${version}`;
  const runtime = `pkg:generic/bun@${Bun.version}`;
  const refs = new Map(all.map((component) => [component.key, refOf(component)]));
  const ref = (key: string) => refs.get(key) ?? key;
  const document = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(`${version} ${commit}`)}`,
    version: 1,
    metadata: {
      timestamp: new Date(seconds * 1000).toISOString(),
      component: {
        type: "application",
        "bom-ref": self,
        name: "intake",
        version,
        purl: self,
        licenses: [{ license: { id: "MIT" } }],
        properties: [{ name: "intake:commit", value: commit }],
      },
    },
    components: [
      {
        type: "platform",
        "bom-ref": runtime,
        name: "bun",
        version: Bun.version,
        purl: runtime,
        licenses: [{ license: { id: "MIT" } }],
      },
      ...all.map((component) => ({
        type: "library",
        "bom-ref": refOf(component),
        name: component.name,
        version: component.version,
        purl: purlOf(component),
        licenses: [{ license: { id: component.licence } }],
        hashes: [hashOf(component.integrity)],
      })),
    ],
    dependencies: [
      { ref: self, dependsOn: [runtime, ...direct.map(ref)].sort() },
      { ref: runtime, dependsOn: [] },
      ...all.map((component) => ({ ref: refOf(component), dependsOn: component.needs.map(ref).sort() })),
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Copies of one version at two places are two components with one purl. */
function refOf(component: Component): string {
  return component.key === component.name ? purlOf(component) : `${purlOf(component)}#${component.key}`;
}

function purlOf({ name, version }: Component): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

function hashOf(integrity: string) {
  const [algorithm = "", value = ""] = integrity.split("-");
  if (algorithm !== "sha512") throw new Error(`bun.lock has a digest that is not SHA-512: ${integrity}`);
  return { alg: "SHA-512", content: Buffer.from(value, "base64").toString("hex") };
}

/** A UUID (version 8) that the text alone decides. */
function uuidOf(text: string): string {
  const hex = Bun.SHA256.hash(text, "hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
