import { pageIn, wordIn } from "../http/internal-query.ts";
import { internalRoute } from "../http/internal-route.ts";
import { closed, idOf } from "../http/internal-schema.ts";
import { dismissNotice } from "./dismiss-notice.ts";
import { listNotices, noticeStates } from "./list-notices.ts";

/** Calls of the page about notices. */
export const noticeRoutes = [
  internalRoute({
    method: "GET",
    path: "/internal/notices",
    role: "admin",
    handle: ({ ctx, query }) =>
      listNotices({ ctx, input: { ...pageIn(query), state: wordIn(query, "state", noticeStates) } }),
  }),
  internalRoute({
    method: "POST",
    path: "/internal/notices/:id/dismiss",
    role: "admin",
    body: closed({}),
    handle: async ({ ctx, params }) => {
      const { id } = await dismissNotice({ ctx, input: { id: idOf(params) } });
      ctx.changed?.({ kind: "notice", id });
      return { id };
    },
  }),
] as const;
