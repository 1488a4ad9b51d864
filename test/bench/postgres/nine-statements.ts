import { join } from "node:path";
import type { ScratchPostgres } from "../../support/postgres.ts";
import { programsOfPostgres } from "../../support/postgres.ts";
import type { Installation } from "../intake.ts";
import { output } from "../output.ts";
import { freshFolder } from "../scratch.ts";

const clients = 16;

/**
 * PostgreSQL's own benchmark program on the nine statements of a ticket, each a message of its own in one transaction:
 * what a server that sends them one after the other can reach at best.
 */
export async function runPgbench(
  postgres: ScratchPostgres,
  url: string,
  installation: Installation,
  seconds: number,
): Promise<{ perSecond: number; cpuMicroseconds: number }> {
  const file = join(freshFolder("pgbench"), "ticket.sql");
  await Bun.write(file, script(installation));
  const before = postgres.processorSeconds();
  const said = await output([
    `${programsOfPostgres()}/pgbench`,
    ...["-n", "-M", "prepared", "-c", String(clients), "-j", "2", "-T", String(seconds), "-f", file, url],
  ]);
  const transactions = Number(/number of transactions actually processed: (\d+)/.exec(said)?.[1]);
  const perSecond = Number(/^tps = ([\d.]+)/m.exec(said)?.[1]);
  if (!(transactions > 0 && perSecond > 0)) throw new Error(`pgbench failed: ${said}`);
  return { perSecond, cpuMicroseconds: ((postgres.processorSeconds() - before) * 1e6) / transactions };
}

function script({ tokenId, projectId, boardId, columnIds }: Installation): string {
  const column = columnIds[0];
  return `\\set n random(1, 1000000000000)
begin;
select id, scopes, requests_per_window from api_token where id = '${tokenId}' and revoked_at is null;
select ticket_id, answer, body_digest, fields from idempotency where binding = decode(md5(cast(:n as text)), 'hex');
select id from project where id = '${projectId}' and archived_at is null;
select id from board where project_id = '${projectId}' and archived_at is null order by position, id limit 1;
select id from board_column where board_id = '${boardId}' order by position, id limit 1;
select value from setting where name = 'public_url';
insert into ticket (id, column_id, position, token_id, author_name, created_at, title, description, priority)
  values (md5(cast(:n as text)), '${column}',
    (select coalesce(min(position), 0) - 1 from ticket where column_id = '${column}' and live = 1),
    '${tokenId}', 'CI', 0, 'Nightly build failed on main', 'The job failed after 312 s.', 'high');
insert into activity (ticket_id, number, at, actor_kind, actor_name, kind)
  values (md5(cast(:n as text)), 1, 0, 'token', 'CI', 'created');
insert into idempotency (binding, token_id, key, ticket_id, body_digest, answer, fields)
  values (decode(md5(cast(:n as text)), 'hex'), '${tokenId}', cast(:n as text), '${tokenId}', 'digest', '{"id":"…"}', '');
commit;
`;
}
