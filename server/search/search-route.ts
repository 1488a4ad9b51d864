import { Type } from "@sinclair/typebox";
import { pageIn } from "../http/internal-query.ts";
import { internalRoute } from "../http/internal-route.ts";
import { closed } from "../http/internal-schema.ts";
import { findCredential } from "./find-credential.ts";
import { hitKinds } from "./hit.ts";
import { type SearchIndexes, search } from "./search.ts";

const usualLimit = 5;

export function searchRoutes(indexes: SearchIndexes) {
  return [
    internalRoute({
      method: "GET",
      path: "/internal/search",
      role: "member",
      handle: ({ ctx, query }) => {
        const limit = query.has("limit") ? pageIn(query).limit : usualLimit;
        const requested = query.get("kinds")?.split(",");
        const kinds = requested && hitKinds.filter((kind) => requested.includes(kind));
        return search({ ctx, indexes, input: { q: query.get("q") ?? "", limit, kinds } });
      },
    }),
    internalRoute({
      method: "POST",
      path: "/internal/search/credential",
      role: "member",
      body: closed({ value: Type.String({ maxLength: 200 }) }),
      handle: ({ ctx, body }) => findCredential({ ctx, input: body }),
    }),
  ] as const;
}
