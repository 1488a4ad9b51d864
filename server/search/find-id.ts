import type { Reader, Row } from "../core/store.ts";
import { isThere } from "../webhooks/messages/sealed-columns.ts";
import type { Hit, HitGroup, HitKind } from "./hit.ts";

interface Place {
  kind: HitKind;
  admins?: true;
  /** Gives `id`, `title`, `place`, and `within` where the address needs it. */
  select: string;
  href: (id: string, within: string) => string;
}

interface FoundRow extends Row {
  id: string;
  title: string | null;
  place: string | null;
  within: string | null;
}

const board = "join board b on b.id = c.board_id join project p on p.id = b.project_id";
const there = "b.deleted_at is null and p.deleted_at is null";

/** Kinds of things that an id may belong to. Each costs one look-up by a primary key. */
const places: readonly Place[] = [
  {
    kind: "card",
    select: `select t.id, t.title, b.name as place, null as within from ticket t
      join board_column c on c.id = t.column_id ${board} where t.id = $1 and ${there}`,
    href: (id) => `/cards/${id}`,
  },
  {
    kind: "report",
    select: `select e.id, e.title, p.name as place, null as within from event e join project p on p.id = e.project_id
      where e.id = $1 and p.deleted_at is null`,
    href: (id) => `/reports/${id}`,
  },
  {
    kind: "board",
    select: `select b.id, b.name as title, p.name as place, p.id as within
      from board b join project p on p.id = b.project_id where b.id = $1 and ${there}`,
    href: (id, within) => `/p/${within}/boards/${id}`,
  },
  {
    kind: "board",
    select: `select b.id, c.name as title, b.name as place, p.id as within from board_column c ${board}
      where c.id = $1 and ${there}`,
    href: (id, within) => `/p/${within}/boards/${id}`,
  },
  {
    kind: "project",
    select: "select id, name as title, null as place, null as within from project where id = $1 and deleted_at is null",
    href: (id) => `/p/${id}`,
  },
  {
    kind: "member",
    select: "select id, name as title, null as place, null as within from member where id = $1 and removed_at is null",
    href: () => "/settings/members",
  },
  {
    kind: "run",
    select: `select r.id, t.title, b.name as place, null as within from agent_run r join ticket t on t.id = r.ticket_id
      join board_column c on c.id = t.column_id ${board} where r.id = $1 and t.deleted_at is null and ${there}`,
    href: (id) => `/runs/${id}`,
  },
  {
    kind: "key",
    select: `select k.id, k.name as title, p.name as place, null as within from sdk_key k
      join project p on p.id = k.project_id where k.id = $1 and p.deleted_at is null`,
    href: () => "/settings/keys",
  },
  {
    kind: "token",
    admins: true,
    select: "select id, name as title, null as place, null as within from api_token where id = $1",
    href: (id) => `/settings/tokens/${id}`,
  },
  {
    kind: "subscriber",
    admins: true,
    select: `select s.id, s.url as title, null as place, null as within from subscriber s
      where s.id = $1 and ${isThere("s")}`,
    href: (id) => `/subscribers/${id}`,
  },
  {
    kind: "subscriber",
    admins: true,
    select: `select d.id, s.url as title, 'Delivery' as place, s.id as within from delivery d
      join subscriber s on s.id = d.subscriber_id where d.id = $1 and ${isThere("s")}`,
    href: (id, within) => `/subscribers/${within}/deliveries/${id}`,
  },
  {
    kind: "subscriber",
    admins: true,
    // The `webhook-id` header that a receiver got is the id of the delivery.
    select: `select d.id, s.url as title, 'Delivery' as place, s.id as within from delivery d
      join subscriber s on s.id = d.subscriber_id where d.message_id = $1 and ${isThere("s")}
      order by d.id limit 1`,
    href: (id, within) => `/subscribers/${within}/deliveries/${id}`,
  },
];

/** Finds whatever has this id, unless the reader may not see it. */
export async function findId(store: Reader, id: string, { isAdmin }: { isAdmin: boolean }): Promise<HitGroup[]> {
  const groups: HitGroup[] = [];
  for (const { kind, admins, select, href } of places) {
    if (admins && !isAdmin) continue;
    const row = await store.one<FoundRow>(select, [id]);
    if (row) groups.push({ kind, items: [present(row, href)] });
  }
  return groups;
}

function present(row: FoundRow, href: Place["href"]): Hit {
  return {
    id: row.id,
    title: row.title ?? "",
    where: row.place,
    href: href(row.id, row.within ?? ""),
    exact: true,
  };
}
