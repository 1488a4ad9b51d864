import type { AuditEntry } from "../../../../../organisation/list-audit.ts";
import { shortId } from "../../../core/format.ts";

/** Groups of actions that the audit log can be filtered by. */
export const actKinds: readonly (readonly [kind: string, title: string])[] = [
  ["session", "Sign-ins and sessions"],
  ["member", "Members"],
  ["provider", "Identity providers"],
  ["token", "API tokens"],
  ["key", "SDK keys"],
  ["subscriber", "Subscribers"],
  ["repository", "Repositories"],
  ["run", "Agent runs"],
  ["credits", "Credits"],
  ["project", "Projects"],
  ["board", "Boards"],
  ["column", "Columns"],
  ["ticket", "Cards"],
  ["event", "Reports"],
  ["person", "Persons in reports"],
  ["setting", "Settings"],
  ["mail", "Mail"],
  ["notice", "Notices"],
  ["clock", "Clock"],
  ["organisation", "Organisation"],
  ["audit", "Audit log"],
];

const words: Record<string, string> = {
  "session.create": "signed in",
  "session.end": "signed out",
  "session.refuse": "was not let in",
  "session.confirm": "confirmed who they are",
  "session.failed": "failed to sign in",
  "session.revoke": "revoked sessions",
  "member.add": "invited a person",
  "member.invite": "made a new link",
  "member.revoke_invitation": "revoked a link",
  "member.join": "joined",
  "member.role": "changed a role",
  "member.link": "linked an account to a provider",
  "member.unlink": "unlinked an account from a provider",
  "member.sign_in_link": "made a link to sign in",
  "member.add_factor": "added a way to sign in",
  "member.rename_factor": "renamed a passkey",
  "member.remove_factor": "removed a way to sign in",
  "member.renew_recovery_codes": "made new recovery codes",
  "member.reset_factors": "took away the factors of a member",
  "member.rename": "changed the own name",
  "member.password": "changed the own password",
  "member.reset_password": "reset a password",
  "member.remove": "deactivated a member",
  "member.restore": "reactivated a member",
  "event.delete": "deleted a report",
  "event.delete_user": "deleted the reports of a user",
  "setting.change": "changed a setting",
  "member.forgotten_password": "asked for a new password",
  "mail.test": "sent a test mail",
  "mail.password": "stored the password of the mail server",
  "mail.forget_password": "took away the password of the mail server",
  "notice.dismiss": "dismissed a notice",
  "clock.confirm": "confirmed the clock",
  "credits.grant": "granted credits",
  "repository.base_branch": "changed the base branch of",
  "repository.credits": "changed what a run holds of",
  "organisation.create": "set up the organisation",
  "audit.export": "exported the audit log",
  "project.export": "exported a project",
  "person.find": "looked for a person in reports",
  "person.export": "exported the reports of a person",
  "person.delete": "deleted the reports of a person",
  "token.used_after_revoke": "was used after it was revoked",
  "subscriber.rotate_secret": "rotated a secret",
  "subscriber.forget_secrets": "forgot the secrets of subscribers",
};

const things: Record<string, string> = {
  token: "an API token",
  key: "an SDK key",
  subscriber: "a subscriber",
  repository: "a repository",
  project: "a project",
  board: "a board",
  column: "a column",
  ticket: "a card",
  event: "a report",
  run: "an agent run",
  organisation: "the organisation",
  member: "a member",
};

const verbs: Record<string, string> = {
  create: "created",
  add: "added",
  update: "changed",
  rename: "renamed",
  delete: "deleted",
  remove: "removed",
  revoke: "revoked",
  replace: "replaced",
  archive: "archived",
  unarchive: "took back from the archive",
  pause: "paused",
  resume: "resumed",
  enable: "enabled",
  disable: "disabled",
  replay: "replayed deliveries of",
  test: "tested",
  bind: "bound",
  unbind: "unbound",
  cancel: "cancelled",
  retry: "retried",
};

/** What was done, to stand after the name of the actor. */
export function actWords(action: string): string {
  const known = words[action];
  if (known) return known;
  const [kind = "", act = ""] = action.split(".");
  return `${verbs[act] ?? act.replaceAll("_", " ")} ${things[kind] ?? kind}`;
}

/** What an action changed, by its present name. */
export function objectOf({ object, objectName }: Pick<AuditEntry, "object" | "objectName">): string {
  const [kind, id] = object.split(" ");
  if (objectName !== null) return objectName;
  return id !== undefined && /^[0-9a-f-]{36}$/.test(id) ? `${kind} ${shortId(id)}` : object;
}

/** "role: member → admin" */
export function changeOf({ from, to }: Pick<AuditEntry, "from" | "to">): string {
  if (!isMembers(from) && !isMembers(to)) return from === undefined && to === undefined ? "" : arrow(from, to);
  const [before, after] = [isMembers(from) ? from : {}, isMembers(to) ? to : {}];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.map((name) => `${name}: ${arrow(before[name], after[name])}`).join(", ");
}

function isMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function arrow(from: unknown, to: unknown): string {
  if (from === undefined) return text(to);
  return to === undefined ? text(from) : `${text(from)} → ${text(to)}`;
}

function text(value: unknown): string {
  if (value === null) return "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}
