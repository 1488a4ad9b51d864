import { Refusal } from "../core/context.ts";
import type { Step, Tx } from "../core/store.ts";

interface Id {
  [column: string]: string;
  id: string;
}

interface Reaching {
  id: string;
  reaches_all: number;
}

/**
 * Finds the named project, or the only one that the token reaches: the server never chooses among several. Archived
 * projects are not found. A project that does not exist and one out of reach give the same answer.
 */
export function* resolveProjectStep(tx: Tx, token: Reaching, named: string | undefined): Step<string> {
  const found = named === undefined ? yield* reachedStep(tx, token) : yield* namedStep(tx, token, named);
  if (found.length > 1) throw new Refusal("project_required");
  const [project] = found;
  if (!project) throw yield* notFoundStep(tx, named);
  return project.id;
}

/** The caller gets the same answer for every reason; the token's request log tells admins which one it was. */
function* notFoundStep(tx: Tx, named: string | undefined): Step<Refusal> {
  const project =
    named === undefined
      ? undefined
      : yield* tx.one<{ archived_at: number | null }>("select archived_at from project where id = $1", [named]);
  const unnamed = named === undefined ? "reaches_nothing" : "absent";
  const reason = project ? (project.archived_at === null ? "out_of_reach" : "archived") : unnamed;
  return new Refusal("project_not_found", undefined, {}, reason);
}

function reachedStep(tx: Tx, token: Reaching): Step<Id[]> {
  return token.reaches_all === 1
    ? tx.all<Id>("select id from project where archived_at is null limit 2")
    : tx.all<Id>(
        `select p.id from api_token_project r join project p on p.id = r.project_id
         where r.token_id in ($1) and p.archived_at is null limit 2`,
        [token.id],
      );
}

function namedStep(tx: Tx, token: Reaching, id: string): Step<Id[]> {
  return token.reaches_all === 1
    ? tx.all<Id>("select id from project where id = $1 and archived_at is null", [id])
    : tx.all<Id>(
        `select p.id from api_token_project r join project p on p.id = r.project_id
         where r.token_id in ($1) and p.id = $2 and p.archived_at is null`,
        [token.id, id],
      );
}

/** Finds the named board of the project, or the project's first board. Archived boards are not found in either case. */
export function* resolveBoardStep(tx: Tx, projectId: string, named: string | undefined): Step<string> {
  const board =
    named === undefined
      ? yield* tx.one<Id>(
          "select id from board where project_id in ($1) and archived_at is null order by position, id limit 1",
          [projectId],
        )
      : yield* tx.one<Id>("select id from board where id = $1 and project_id = $2 and archived_at is null", [
          named,
          projectId,
        ]);
  if (!board) throw new Refusal("board_not_found");
  return board.id;
}

/** The named column of the board, or its leftmost. */
export function* resolveColumnStep(tx: Tx, boardId: string, named: string | undefined): Step<string> {
  const column =
    named === undefined
      ? yield* tx.one<Id>("select id from board_column where board_id in ($1) order by position, id limit 1", [boardId])
      : yield* tx.one<Id>("select id from board_column where id = $1 and board_id = $2", [named, boardId]);
  if (!column) throw new Refusal("column_not_found");
  return column.id;
}
