import type { Answer, Body, Components, Document, Operation, Schema } from "./model/openapi.ts";

/**
 * Makes the OpenAPI 3.0.3 document of the 3.1 one, for tools that do not know a later version: `nullable` replaces
 * lists of types, and what 3.0 cannot express, such as webhooks, is left out. Two further things are left out because
 * those tools misread them: `encoding` with several media types, and the servers of single operations, which they
 * prefer to the address that a program sets.
 */
export function downgrade({ openapi: _, info, tags, paths, webhooks: __, components, ...rest }: Document): Document {
  const { summary: ___, ...infoOf30 } = info;
  const webhookTags = new Set(Object.values(components.pathItems ?? {}).flatMap(({ post }) => post.tags));
  return {
    ...rest,
    openapi: "3.0.3",
    info: infoOf30 as Document["info"],
    tags: tags.filter(({ name }) => !webhookTags.has(name)),
    paths: mapValues(paths, (methods) => mapValues(methods, operation)) as Document["paths"],
    components: componentsOf30(components),
  };
}

function componentsOf30({ schemas, headers, parameters, securitySchemes }: Components): Components {
  return {
    schemas: mapValues(schemas, schema),
    headers: mapValues(headers, (header) => ({ ...header, schema: schema(header.schema) })),
    parameters: mapValues(parameters, (parameter) => ({ ...parameter, schema: schema(parameter.schema) })),
    securitySchemes,
  };
}

function operation({ servers: _, requestBody, responses, ...rest }: Operation): Operation {
  return {
    ...rest,
    ...(requestBody ? { requestBody: body(requestBody) } : {}),
    responses: mapValues(responses, body),
  };
}

function body<B extends Body | Answer>(given: B): B {
  if (!given.content) return given;
  const content = mapValues(given.content, ({ encoding: _, ...media }) => ({ ...media, schema: schema(media.schema) }));
  return { ...given, content };
}

function schema({ type, propertyNames: _, properties, items, additionalProperties, ...rest }: Schema): Schema {
  return {
    ...rest,
    ...typeOf30(type),
    ...(properties ? { properties: mapValues(properties, schema) } : {}),
    // OpenAPI 3.0 requires `items` with every list.
    ...(items || type === "array" ? { items: schema(items ?? {}) } : {}),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === "object" ? schema(additionalProperties) : additionalProperties,
        }),
  };
}

function typeOf30(type: Schema["type"]): Schema {
  if (!Array.isArray(type)) return type === undefined ? {} : { type };
  const [only, ...others] = type.filter((one) => one !== "null");
  if (only === undefined || others.length > 0) throw new Error(`3.0 has no word for ${type.join(" or ")}`);
  return { type: only, nullable: true };
}

function mapValues<T, U>(object: Record<string, T>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));
}
