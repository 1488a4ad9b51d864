import { hashPassword } from "../accounts/passwords.ts";
import { requirePassword } from "../accounts/require-password.ts";
import { type NewSession, startSessionStep, type Visit } from "../accounts/session.ts";
import { createProjectStep } from "../boards/create-project.ts";
import { type Author, audit } from "../core/audit.ts";
import { type Context, Refusal } from "../core/context.ts";
import { newCredential, newSecret, prefixes } from "../core/credential.ts";
import { requireEmail, requireName } from "../core/names.ts";
import { requirePublicUrl } from "../core/settings.ts";
import { keys, tokens } from "../credentials/credential-kinds.ts";
import { addCredentialStep } from "../credentials/credential-steps.ts";

export interface CreatedOrganisation {
  organisation: { id: string };
  /** `password` is present only when it was generated; it is shown only here. */
  admin: { id: string; email: string; password?: string };
  agent: { id: string };
  project: { id: string };
  board: { id: string };
  columns: { id: string; name: string }[];
  apiToken: { id: string; token: string };
  sdkKey: { id: string; key: string };
}

/**
 * Creates the first organisation with its admin, AI agent, a project with a board, an API token that reaches that
 * project, and an SDK key that reports to it. There is exactly one organisation per installation: a second call is a
 * `conflict`, also when two come at the same time.
 */
export async function createOrganisation({
  ctx,
  input,
}: {
  ctx: Omit<Context, "actor"> & { actor: Author };
  input: {
    organisation: string;
    adminEmail: string;
    adminPassword?: string | undefined;
    publicUrl?: string | undefined;
    /** Starts the admin's session. */
    session?: NewSession & { visit: Visit };
  };
}): Promise<CreatedOrganisation> {
  const name = requireName(input.organisation);
  const email = requireEmail(input.adminEmail);
  const password =
    input.adminPassword === undefined ? newSecret().slice(0, 20) : requirePassword(input.adminPassword, email);
  const publicUrl = input.publicUrl === undefined ? undefined : requirePublicUrl(input.publicUrl);
  const passwordHash = await hashPassword(password);
  const ids = {
    organisation: ctx.newId(),
    admin: ctx.newId(),
    agent: ctx.newId(),
    project: ctx.newId(),
    board: ctx.newId(),
    columns: Array.from({ length: 4 }, ctx.newId),
    token: ctx.newId(),
    key: ctx.newId(),
    audit: ctx.newId(),
  };
  const token = newCredential(prefixes.token);
  const key = newCredential(prefixes.key);
  const now = ctx.now();

  return ctx.store.write(function* (tx) {
    const made = yield* tx.one(
      "insert into organisation (id, name, created_at) values ($1, $2, $3) on conflict (only_one) do nothing returning id",
      [ids.organisation, name, now],
    );
    if (!made) {
      const next = "sign in, or add people with intake member add";
      throw new Refusal("conflict", `this installation has its organisation already: ${next}`);
    }

    const addMember = `insert into member (id, email, name, role, password_hash, created_at, joined_at)
                       values ($1, $2, $3, $4, $5, $6, $6)`;
    yield* tx.run(addMember, [ids.admin, email, email.slice(0, email.indexOf("@")), "admin", passwordHash, now]);
    yield* tx.run(addMember, [ids.agent, null, "Agent", "agent", null, now]);

    const project = yield* createProjectStep(tx, {
      ids: { project: ids.project, board: ids.board, columns: ids.columns },
      name: "First project",
      now,
    });
    yield* addCredentialStep(tx, tokens, {
      id: ids.token,
      text: token,
      now,
      given: { name: "First token", reach: [ids.project] },
      more: {},
    });
    yield* addCredentialStep(tx, keys, {
      id: ids.key,
      text: key,
      now,
      given: { name: "First key", projectId: ids.project },
      more: { value: key },
    });
    if (publicUrl !== undefined) {
      yield* tx.run("insert into setting (name, value) values ('public_url', $1)", [publicUrl]);
    }
    if (input.session) {
      const { visit, ...session } = input.session;
      yield* startSessionStep(tx, session, { memberId: ids.admin, visit, now, method: "password" });
    }
    yield* audit(tx, ctx, ids.audit, "organisation.create", `organisation ${ids.organisation}`, { to: { name } });
    return {
      organisation: { id: ids.organisation },
      admin: { id: ids.admin, email, ...(input.adminPassword === undefined ? { password } : {}) },
      agent: { id: ids.agent },
      project: { id: project.id },
      board: project.board,
      columns: project.columns,
      apiToken: { id: ids.token, token },
      sdkKey: { id: ids.key, key },
    };
  });
}
