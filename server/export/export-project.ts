import { type RepositoryRow, repositoryView } from "../boards/repository-view.ts";
import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { isoTime } from "../core/iso-time.ts";
import { readPublicUrl } from "../core/settings.ts";
import type { Reader, Row } from "../core/store.ts";
import type { Files } from "../store/files.ts";
import { ExportFolder } from "./export-folder.ts";
import { fileNames, type Manifest, manifestFormat, manifestVersion, type Progress } from "./manifest.ts";
import { exportReports, firstReport } from "./project-reports.ts";
import { exportTickets } from "./project-tickets.ts";

interface ProjectRow extends Row {
  id: string;
  name: string;
  created_at: number;
  archived_at: number | null;
}

/**
 * Writes a project to a folder: its boards, tickets and reports, with attachments as files. Runs beside a server, and
 * after a kill the next run goes on. It is no copy of one moment: the manifest says when each file was read.
 */
export async function exportProject({
  ctx,
  tools: { files },
  input: { id, to },
  progress,
}: {
  ctx: Context;
  tools: { files: Files };
  input: { id: string; to: string };
  progress: (what: string) => void;
}): Promise<Manifest> {
  requireAdmin(ctx);
  const { store } = ctx;
  const project = await store.one<ProjectRow>(
    "select id, name, created_at, archived_at from project where id = $1 and deleted_at is null",
    [id],
  );
  if (!project) throw new Refusal("project_not_found", `there is no project ${id}; see: intake project list`);
  const folder = await ExportFolder.open(to, {
    projectId: id,
    now: ctx.now,
    begin: () => begin(ctx, project),
  });
  try {
    const { stages } = folder.progress;
    if (!stages.project.done) {
      folder.writeProject(await projectDocument(store, project));
      await folder.done("project");
    }
    if (!stages.tickets.done) {
      const publicUrl = await readPublicUrl(store, ctx.publicUrl);
      await exportTickets(store, folder, { projectId: id, publicUrl }, (count) => progress(`${count} tickets`));
      await folder.done("tickets");
    }
    if (!stages.reports.done) {
      await exportReports({ store, files }, folder, id, (count) => progress(`${count} reports`));
      await folder.done("reports");
    }
    return await folder.finish();
  } finally {
    await folder.close();
  }
}

async function begin(ctx: Context, { id, name }: ProjectRow): Promise<Progress> {
  const auditId = ctx.newId();
  await ctx.store.write((tx) => audit(tx, ctx, auditId, "project.export", `project ${id}`));
  const last = async (table: "ticket" | "event") =>
    (await ctx.store.one<{ id: string | null }>(`select max(id) as id from ${table}`))?.id ?? "";
  return {
    format: manifestFormat,
    version: manifestVersion,
    project: { id, name },
    startedAt: new Date(ctx.now()).toISOString(),
    last: { tickets: await last("ticket"), reports: await last("event") },
    stages: {
      project: { after: [], done: false },
      tickets: { after: [""], done: false },
      reports: { after: firstReport, done: false },
    },
    files: Object.fromEntries(fileNames.map((file) => [file, { lines: 0, bytes: 0 }])) as Progress["files"],
    attachments: { files: 0, bytes: 0, missing: 0, differing: 0 },
  };
}

interface BoardRow extends Row {
  id: string;
  name: string;
  created_at: number;
  archived_at: number | null;
}

async function projectDocument(store: Reader, { id, name, created_at, archived_at }: ProjectRow) {
  const boards = await store.all<BoardRow>(
    `select id, name, created_at, archived_at from board where project_id = $1 and deleted_at is null
     order by position, id`,
    [id],
  );
  const columns = await store.all<{ id: string; board_id: string; name: string; category: string }>(
    `select c.id, c.board_id, c.name, c.category from board_column c join board b on b.id = c.board_id
     where b.project_id = $1 and b.deleted_at is null order by c.position, c.id`,
    [id],
  );
  const repositories = await store.all<RepositoryRow>("select * from repository where project_id = $1 order by id", [
    id,
  ]);
  return {
    id,
    name,
    createdAt: isoTime(created_at),
    archivedAt: isoTime(archived_at),
    boards: boards.map((board) => ({
      id: board.id,
      name: board.name,
      createdAt: isoTime(board.created_at),
      archivedAt: isoTime(board.archived_at),
      columns: columns
        .filter(({ board_id }) => board_id === board.id)
        .map(({ id, name, category }) => ({ id, name, category })),
    })),
    repositories: repositories.map(repositoryView),
  };
}
