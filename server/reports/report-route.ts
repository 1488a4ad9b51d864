import { Type } from "@sinclair/typebox";
import { isUuid } from "../../openapi/check.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";
import { rangeIn } from "../core/time-range.ts";
import type { EnvelopeReader } from "../envelope/envelope-reader.ts";
import { imageTypes, videoTypes } from "../files/shown-types.ts";
import { answerFile } from "../http/file-answer.ts";
import { pageIn } from "../http/internal-query.ts";
import { internalRoute } from "../http/internal-route.ts";
import { closed, idOf, Uuid } from "../http/internal-schema.ts";
import { deleteEvent, deleteEvents } from "../ingest/delete-events.ts";
import { readEnvelope } from "../ingest/read-event.ts";
import { type Files, fileOfBlob } from "../store/files.ts";
import { attachmentFile } from "./attachment-file.ts";
import { cardFromReports } from "./card-from-reports.ts";
import { listReports } from "./list-reports.ts";
import type { ReportIndex } from "./report-index.ts";
import { showDraft } from "./show-draft.ts";
import { showReport } from "./show-report.ts";
import { suggest } from "./suggest.ts";
import { previewText } from "./text-preview.ts";

interface Tools {
  files: Files;
  reader: EnvelopeReader;
  index: Pick<ReportIndex, "behind">;
}

const cardReportsMax = 20;
const nothing: ReadonlySet<string> = new Set();
const shown: ReadonlySet<string> = imageTypes.union(videoTypes);

/** Routes of the pages that show and change reports. */
export function reportRoutes({ files, reader, index }: Tools) {
  const tools = { files, reader };
  return [
    internalRoute({
      method: "GET",
      path: "/internal/projects/:id/reports",
      role: "member",
      handle: ({ ctx, params, query }) => {
        const input = { projectId: idOf(params), query: query.get("q") ?? "", ...rangeIn(query, ctx.now()) };
        return listReports({ ctx, reader, index, input: { ...pageIn(query), ...input } });
      },
    }),
    internalRoute({
      method: "GET",
      path: "/internal/projects/:id/reports/suggestions",
      role: "member",
      handle: ({ ctx, params, query }) => {
        const input = { name: query.get("name") ?? "", prefix: query.get("prefix") ?? "" };
        return suggest({ ctx, input: { projectId: idOf(params), ...input, ...rangeIn(query, ctx.now()) } });
      },
    }),
    internalRoute({
      method: "POST",
      path: "/internal/reports/delete",
      role: "admin",
      sensitive: true,
      body: closed({ ids: Type.Array(Uuid, { minItems: 1, maxItems: limits.pageMax }) }),
      handle: ({ ctx, body }) => deleteEvents({ ctx, tools, input: { ids: body.ids.map((id) => id.toLowerCase()) } }),
    }),
    internalRoute({
      method: "POST",
      path: "/internal/reports/card",
      role: "member",
      body: closed({
        op: Uuid,
        reportIds: Type.Array(Uuid, { minItems: 1, maxItems: cardReportsMax }),
        columnId: Type.Optional(Uuid),
        title: Type.Optional(Type.String({ minLength: limits.titleMin, maxLength: limits.titleMax })),
        description: Type.Optional(Type.String({ maxLength: limits.descriptionMax })),
      }),
      handle: ({ ctx, body }) => cardFromReports({ ctx, input: { ...body, op: body.op.toLowerCase() } }),
    }),
    internalRoute({
      method: "GET",
      path: "/internal/reports/draft",
      role: "member",
      handle: ({ ctx, query }) => showDraft({ ctx, input: { reportIds: reportsIn(query) } }),
    }),
    internalRoute({
      method: "GET",
      path: "/internal/reports/:id",
      role: "member",
      handle: ({ ctx, params }) => showReport({ ctx, tools, input: { id: idOf(params) } }),
    }),
    internalRoute({
      method: "GET",
      path: "/internal/reports/:id/envelope",
      role: "member",
      handle: async ({ ctx, params, request }) => {
        const bytes = await readEnvelope({ ctx, input: { id: idOf(params) } });
        const file = {
          file: fileOfBlob(new Blob([bytes as Uint8Array<ArrayBuffer>])),
          filename: "envelope.json",
          contentType: "text/plain; charset=utf-8",
          sniffedType: null,
        };
        return answerFile(ctx, file, request.headers.get("range"), nothing);
      },
    }),
    internalRoute({
      method: "DELETE",
      path: "/internal/reports/:id",
      role: "admin",
      sensitive: true,
      handle: ({ ctx, params }) => deleteEvent({ ctx, tools, input: { id: idOf(params) } }),
    }),
    internalRoute({
      method: "GET",
      path: "/internal/attachments/:id",
      role: "member",
      handle: async ({ ctx, params, query, request }) => {
        const file = await attachmentFile({ ctx, files, input: { id: idOf(params) } });
        return answerFile(ctx, file, request.headers.get("range"), query.has("download") ? nothing : shown);
      },
    }),
    internalRoute({
      method: "GET",
      path: "/internal/attachments/:id/text",
      role: "member",
      handle: ({ ctx, params }) => previewText({ ctx, files, input: { id: idOf(params) } }),
    }),
  ] as const;
}

/** The report ids in the member `ids` of the query, separated by commas. */
function reportsIn(query: URLSearchParams): string[] {
  const ids = (query.get("ids") ?? "").split(",");
  if (ids.length > cardReportsMax || !ids.every(isUuid)) {
    throw new Refusal("invalid_input", `ids must be 1 to ${cardReportsMax} ids of reports with commas between them.`);
  }
  return ids.map((id) => id.toLowerCase());
}
