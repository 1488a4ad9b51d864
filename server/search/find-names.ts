import type { Reader, Row } from "../core/store.ts";
import type { Hit, HitGroup, HitKind } from "./hit.ts";

interface Named {
  kind: HitKind;
  admins?: true;
  select: string;
  href: (row: NamedRow) => string;
}

interface NamedRow extends Row {
  id: string;
  title: string;
  place: string | null;
  within: string | null;
}

/** Kinds with few rows: their names are searched without an index. */
const named: readonly Named[] = [
  {
    kind: "board",
    select: `select b.id, b.name as title, p.name as place, p.id as within
      from board b join project p on p.id = b.project_id
      where lower(b.name) like $1 escape '\\' and b.deleted_at is null and p.deleted_at is null
      order by b.archived_at is not null, b.position, b.id limit $2`,
    href: ({ id, within }) => `/p/${within}/boards/${id}`,
  },
  {
    kind: "project",
    select: `select id, name as title, null as place, null as within from project
      where lower(name) like $1 escape '\\' and deleted_at is null
      order by archived_at is not null, position, id limit $2`,
    href: ({ id }) => `/p/${id}`,
  },
  {
    kind: "member",
    select: `select id, name as title, case when role = 'agent' then 'Agent' else null end as place, null as within
      from member where lower(name) like $1 escape '\\' and removed_at is null order by name, id limit $2`,
    href: () => "/settings/members",
  },
  {
    kind: "token",
    admins: true,
    select: `select id, name as title, case when revoked_at is null then null else 'Revoked' end as place,
        null as within
      from api_token where lower(name) like $1 escape '\\' order by revoked_at is not null, id desc limit $2`,
    href: ({ id }) => `/settings/tokens/${id}`,
  },
  {
    kind: "key",
    select: `select k.id, k.name as title, p.name as place, null as within
      from sdk_key k join project p on p.id = k.project_id
      where lower(k.name) like $1 escape '\\' and p.deleted_at is null order by k.id desc limit $2`,
    href: () => "/settings/keys",
  },
];

/** Finds things by any part of their names. */
export async function findNames(
  store: Reader,
  { q, limit, isAdmin }: { q: string; limit: number; isAdmin: boolean },
): Promise<HitGroup[]> {
  const pattern = `%${q.toLowerCase().replaceAll(/[\\%_]/g, "\\$&")}%`;
  const groups: HitGroup[] = [];
  for (const { kind, admins, select, href } of named) {
    if (admins && !isAdmin) continue;
    const rows = await store.all<NamedRow>(select, [pattern, limit]);
    groups.push({ kind, items: rows.map((row) => present(row, href(row))) });
  }
  return groups;
}

function present({ id, title, place }: NamedRow, href: string): Hit {
  return { id, title, where: place, href, exact: false };
}
