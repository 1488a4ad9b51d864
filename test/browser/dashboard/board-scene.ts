import type { Browser, BrowserContextOptions } from "playwright-core";
import type { CreateTicket } from "../../../openapi/schema/ticket.ts";
import { addMember } from "../../../server/accounts/add-member.ts";
import { startSessionStep } from "../../../server/accounts/session.ts";
import { startServer } from "../../../server/app/server.ts";
import { insertTicketStep } from "../../../server/tickets/insert.ts";
import { usualSchedule } from "../../../server/webhooks/subscribers/retry-schedule.ts";
import { type Installation, install } from "../../support/installation.ts";
import { newToken, type Token } from "../../support/tickets.ts";
import { until } from "../../support/until.ts";
import { openPage, type Watched } from "../chromium.ts";

export interface Person {
  id: string;
  name: string;
  cookie: string;
}

/** A running server with a board, people and a token, with which tests of boards and cards begin. */
export interface Scene {
  installation: Installation;
  server: Awaited<ReturnType<typeof startServer>>;
  board: string;
  /** Columns by name. */
  columns: Record<string, string>;
  token: Token;
  admin: Person;
  member: Person;
  stop(): Promise<void>;
}

export async function setScene(): Promise<Scene> {
  const installation = await install();
  const { made } = installation;
  const [admin, member] = await Promise.all([
    newPerson(installation, "Ann Admin", "admin"),
    newPerson(installation, "Max Member", "member"),
  ]);
  const token = await newToken(installation, { name: "CI main" });
  const server = await start(installation);
  const scene = {
    installation,
    server,
    board: `/p/${made.project.id}/boards/${made.board.id}`,
    columns: Object.fromEntries(made.columns.map(({ id, name }) => [name, id])),
    token,
    admin,
    member,
    async stop() {
      await scene.server.stop();
      await installation.remove();
    },
  };
  return scene;
}

/** A server that is started again uses its former port. */
export function start({ folder, databaseUrl }: Installation, port = 0) {
  return startServer({
    data: folder,
    databaseUrl,
    host: "127.0.0.1",
    port,
    publicUrl: undefined,
    ingestUrl: undefined,
    trustedProxies: [],
    webhookAllow: [],
    webhookCa: [],
    mailCa: [],
    webhookSchedule: usualSchedule,
    metrics: "off",
    rateLimits: true,
    onFatal: (error) => {
      throw error;
    },
  });
}

export async function newPerson({ ctx }: Installation, name: string, role: "admin" | "member"): Promise<Person> {
  const { id } = await addMember({ ctx, input: { email: `${crypto.randomUUID()}@example.org`, name, role } });
  const secret = crypto.randomUUID().replaceAll("-", "");
  await ctx.store.write(function* (tx) {
    const visit = { userAgent: null, network: undefined };
    yield* startSessionStep(
      tx,
      { id: ctx.newId(), secret },
      { memberId: id, visit, now: ctx.now(), method: "password" },
    );
  });
  return { id, name, cookie: secret };
}

/** A window of a signed-in member. */
export async function openAs(
  browser: Browser,
  { server }: Scene,
  { cookie }: Person,
  path: string,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const cookies = [
    {
      name: "__Host-intake",
      value: cookie,
      domain: "127.0.0.1",
      path: "/",
      expires: -1,
      httpOnly: true,
      secure: true,
      sameSite: "Lax" as const,
    },
  ];
  return openPage(browser, server.url + path, { viewport: { width: 1440, height: 900 }, cookies, ...options });
}

type Seed = Partial<CreateTicket> & { title: string; column?: string; assigneeId?: string; by?: "token" | Person };

/** Cards from top to bottom, stored before the page was opened. */
export async function seedCards({ installation: { ctx }, columns, token, member }: Scene, seeds: readonly Seed[]) {
  const ids: string[] = [];
  await ctx.store.write(function* (tx) {
    ids.length = 0;
    for (const [i, { column = "Backlog", assigneeId = null, by = member, ...fields }] of seeds.entries()) {
      const id = ctx.newId();
      ids.push(id);
      yield* insertTicketStep(tx, {
        id,
        columnId: columns[column] ?? "",
        position: i + 1,
        fields,
        assigneeUserId: assigneeId,
        agentRepositoryId: null,
        author:
          by === "token"
            ? { tokenId: token.id, memberId: null, name: "CI main" }
            : { tokenId: null, memberId: by.id, name: by.name },
        idempotencyKey: null,
        now: ctx.now(),
      });
    }
  });
  return ids;
}

/**
 * Makes a call as a page does, as an admin unless another member is given; returns the answer's value, also of a
 * refusal.
 */
export async function internal(
  { server, ...people }: Scene,
  method: string,
  path: string,
  body?: unknown,
  as: "admin" | "member" = "admin",
): Promise<unknown> {
  const answer = await fetch(`${server.url}/internal${path}`, {
    method,
    headers: {
      cookie: `__Host-intake=${people[as].cookie}`,
      "content-type": "application/json",
      "sec-fetch-site": "same-origin",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return answer.json();
}

/** The stored titles, from top to bottom. */
export async function cardsIn({ installation: { ctx }, columns }: Scene, column: string): Promise<string[]> {
  const rows = await ctx.store.all<{ title: string }>(
    "select title from ticket where column_id = $1 and live = 1 order by position, id",
    [columns[column] ?? ""],
  );
  return rows.map(({ title }) => title);
}

/** Waits until the stored titles are these. */
export async function isStored(
  scene: Scene,
  column: string,
  wanted: readonly string[],
  seen: (titles: string[]) => string[] = (titles) => titles,
) {
  let now: string[] = [];
  const same = async () => {
    now = seen(await cardsIn(scene, column));
    return JSON.stringify(now) === JSON.stringify(wanted) || undefined;
  };
  await until(same).catch(() => {
    throw new Error(`${column} has ${now.join(", ")}, and not ${wanted.join(", ")}`);
  });
}

/** The same people on another board, without cards of other tests. */
export async function freshBoard(scene: Scene): Promise<Scene> {
  const projectId = scene.installation.made.project.id;
  const made = await internal(scene, "POST", "/boards", { projectId, name: "Board" });
  const { id, columns } = made as { id: string; columns: { id: string; name: string }[] };
  return {
    ...scene,
    board: `/p/${projectId}/boards/${id}`,
    columns: Object.fromEntries(columns.map((column) => [column.name, column.id])),
  };
}
