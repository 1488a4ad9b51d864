import { spanIn } from "../core/time-range.ts";
import { internalRoute } from "../http/internal-route.ts";
import { idOf } from "../http/internal-schema.ts";
import type { WordReader } from "../reports/report-words.ts";
import { showOverview } from "./show-overview.ts";
import { showVolume } from "./show-volume.ts";
import { type Space, showStorage } from "./storage.ts";

interface Tools {
  reader: WordReader;
  space: () => Space;
  /** Why work cannot be stored at the moment, or undefined when all is well. */
  trouble: () => string | undefined;
}

export function overviewRoutes({ reader, space, trouble }: Tools) {
  return [
    internalRoute({
      method: "GET",
      path: "/internal/projects/:id/reports/volume",
      role: "member",
      handle: ({ ctx, params, query }) =>
        showVolume({
          ctx,
          reader,
          input: { projectId: idOf(params), query: query.get("q") ?? "", span: spanIn(query, ctx.now()) },
        }),
    }),
    internalRoute({
      method: "GET",
      path: "/internal/projects/:id/overview",
      role: "member",
      handle: ({ ctx, params, query }) =>
        showOverview({ ctx, input: { projectId: idOf(params), span: spanIn(query, ctx.now()) }, space }),
    }),
    internalRoute({
      method: "GET",
      path: "/internal/storage",
      role: "member",
      handle: ({ ctx }) => showStorage({ ctx, space, trouble }),
    }),
  ] as const;
}
