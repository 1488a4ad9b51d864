import { expect, test } from "bun:test";
import { discardProject } from "../../../server/boards/delete-project.ts";
import { openSealing } from "../../../server/core/open-sealing.ts";
import { createKey } from "../../../server/credentials/create-key.ts";
import { Links } from "../../../server/files/links.ts";
import type { ReportDetail } from "../../../server/reports/show-report.ts";
import type { CardSummary } from "../../../server/tickets/card-summary.ts";
import { call } from "../../support/call.ts";
import { attachment, envelope, received } from "../../support/ingest.ts";
import { queueRun, runProject } from "../../support/runs.ts";
import { describeTargets } from "../../support/targets.ts";
import { asMember, newOp } from "./as-member.ts";

describeTargets(
  "a project that an admin deleted",
  (target) => {
    test("is gone from every page and behind every link at once, before it is emptied", async () => {
      const { installation } = target();
      const { ctx } = installation;
      const admin = await asMember(target(), "admin");
      const project = await runProject(installation);
      const { projectId } = project;
      const { runId, ticketId } = await queueRun(installation, project);
      const column = await ctx.store.one<{ id: string; board_id: string }>(
        "select c.id, c.board_id from board_column c join board b on b.id = c.board_id where b.project_id = $1",
        [projectId],
      );
      const [columnId, boardId] = [column?.id ?? "", column?.board_id ?? ""];
      const { id: cardId } = await admin.post<CardSummary>("/cards", { op: newOp(), columnId, title: "Zanzibar card" });
      const subscriber = await admin.post<{ id: string }>("/subscribers", {
        projectId,
        url: "http://127.0.0.1:9/hook",
        name: "Zanzibar hook",
      });
      const { key, id: keyId } = await createKey({ ctx, input: { name: "Zanzibar key", projectId } });
      const parts = [envelope({ reportId: crypto.randomUUID(), title: "Zanzibar report" }), attachment("text", 0)];
      const { eventId } = await received(target(), { key, parts });
      const report = await admin.get<ReportDetail>(`/reports/${eventId}`);
      const links = new Links(await openSealing(installation.folder, ctx.store));
      const attachmentId = report.attachments[0]?.id;
      const deliveryId = report.deliveries[0]?.id;

      const since = new Date(0).toISOString();
      const pages = [
        ...[`/projects/${projectId}`, `/projects/${projectId}/overview`, `/projects/${projectId}/reports`],
        ...[`/projects/${projectId}/reports/volume`, `/projects/${projectId}/reports/suggestions?term=level:`],
        ...[`/boards/${boardId}`, `/boards/${boardId}/counts`, `/columns/${columnId}/cards`],
        ...[cardId, ticketId].flatMap((id) => [`/cards/${id}`, `/cards/${id}/activity`]),
        ...[`/reports/${eventId}`, `/reports/draft?ids=${eventId}`, `/reports/${eventId}/envelope`],
        ...[`/attachments/${attachmentId}`, `/attachments/${attachmentId}/text`],
        ...[`/runs/${runId}`, `/runs/${runId}/log`, `/runs/${runId}/log/text`],
        ...[`/subscribers/${subscriber.id}`, `/subscribers/${subscriber.id}/deliveries`],
        ...[
          `/subscribers/${subscriber.id}/deliveries/${deliveryId}`,
          `/subscribers/${subscriber.id}/replay?since=${since}`,
        ],
      ];
      const lists = [
        ...["/projects", "/rail", "/runs", "/repositories", "/keys", "/subscribers", "/tokens", "/search?q=zanzibar"],
        ...[`/search?q=${cardId}`, `/search?q=${eventId}`, `/search?q=${keyId}`, `/cards?ids=${cardId},${ticketId}`],
      ];
      const ids = [projectId, boardId, columnId, cardId, ticketId, eventId, runId, subscriber.id, keyId];
      const there = async () => {
        const shown: string[] = [];
        for (const page of pages) {
          const { status } = await call(target(), "GET", `/internal${page}`, { cookie: admin.cookie });
          if (status === 200) shown.push(page);
        }
        for (const list of lists) {
          const text = JSON.stringify(await admin.get<unknown>(list));
          if (ids.some((id) => text.includes(id))) shown.push(list);
        }
        for (const what of [0, "envelope"] as const) {
          const path = links.pathOf(eventId, what);
          if ((await target().send(path)).status === 200) shown.push(path);
        }
        return shown;
      };
      const all = [...pages, ...lists, links.pathOf(eventId, 0), links.pathOf(eventId, "envelope")];
      expect(await there()).toEqual(all);
      await discardProject({ ctx, input: { id: projectId } });
      expect(await there()).toEqual([]);
    });
  },
  ["in process"],
);
