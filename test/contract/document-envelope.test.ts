import { expect, test } from "bun:test";
import { resolved, type Schema } from "../../openapi/model/openapi.ts";
import { attachmentKinds, levels } from "../../openapi/schema/ingest.ts";
import { indexEnvelope } from "../../server/envelope/index-envelope.ts";
import { document, faultsOf } from "../support/documented.ts";
import { describeTargets } from "../support/targets.ts";

const { schemas } = document.components;

test("every member that is indexed is in the document", () => {
  const looked = new Look();
  indexEnvelope(looked.at({ $ref: "#/components/schemas/ReportEnvelope" }, ""));
  expect(looked.unknown).toEqual([]);
  expect(looked.leaves.size).toBeGreaterThan(15);
});

test("a member of another type than the document's is not indexed", () => {
  const looked = new Look();
  const { warnings } = indexEnvelope(looked.at({ $ref: "#/components/schemas/ReportEnvelope" }, ""));
  expect(warnings.map(({ path }) => path).sort()).toEqual([...looked.leaves].sort());
});

test("a member of the document's type is indexed", () => {
  for (const level of levels) expect(indexEnvelope({ level })).toMatchObject({ level, warnings: [] });
  for (const kind of attachmentKinds) {
    const { references } = indexEnvelope({ attachments: [{ part: "a", kind }] });
    expect(references).toMatchObject([{ kind }]);
  }
  const { warnings, ...index } = indexEnvelope(sample(schemas["ReportEnvelope"]) as Record<string, unknown>);
  expect(warnings).toEqual([]);
  expect(Object.entries(index).filter(([, value]) => value === null)).toEqual([]);
});

/** An envelope in which every member is wrong, and which records the members that are read. */
class Look {
  readonly leaves = new Set<string>();
  readonly unknown: string[] = [];

  at(given: Schema, path: string): Record<string, unknown> {
    const { properties = {} } = resolved(schemas, given);
    const value = (name: string) => {
      const member = properties[name];
      if (!member) this.unknown.push(`${path}/${name}`);
      return this.#value(member ?? {}, `${path}/${name}`);
    };
    return new Proxy<Record<string, unknown>>(
      {},
      {
        getOwnPropertyDescriptor: (_, name) => ({ value: value(String(name)), configurable: true, enumerable: true }),
        get: (_, name) => value(String(name)),
      },
    );
  }

  #value(schema: Schema, path: string): unknown {
    // Members of an attachment are read only when it has a part.
    if (path.endsWith("/part")) return "attachment_0";
    if (schema.properties) return this.at(schema, path);
    if (schema.items?.$ref) return [this.at(schema.items, `${path}/0`)];
    this.leaves.add(path);
    return Symbol("of no type that JSON has");
  }
}

/** A value that fits a schema. */
function sample(given: Schema | undefined): unknown {
  const {
    type,
    format,
    pattern,
    enum: values,
    properties,
    items,
    additionalProperties,
  } = resolved(schemas, given ?? {});
  if (values) return values[0];
  if (properties) return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, sample(one)]));
  if (type === "object") return typeof additionalProperties === "object" ? { name: sample(additionalProperties) } : {};
  if (type === "array") return items ? [sample(items)] : [];
  if (type === "integer") return 1;
  if (format === "uuid") return "5f0c7f0e-2f0b-4c5e-9a39-0a6f6a3f6c11";
  if (format === "date-time") return "2026-11-21T12:30:00.000Z";
  return pattern ? "0".repeat(64) : "text";
}

describeTargets(
  "the JSON Schema of the envelope",
  (target) => {
    test("is valid, and its examples are", async () => {
      const response = await target().send("/report-envelope.schema.json");
      const schema = (await response.json()) as Schema & { examples: unknown[] };
      expect(schema.examples.map((example) => faultsOf(schema, example))).toEqual([[], []]);
      expect(faultsOf(schema, { level: "very bad" })).not.toEqual([]);
    });
  },
  ["over loopback", "compiled binary"],
);
