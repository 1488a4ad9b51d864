import { addMember, memberRules } from "../accounts/add-member.ts";
import { endMemberSessions } from "../accounts/end-sessions.ts";
import { inviteMember } from "../accounts/invite-member.ts";
import { listMembers } from "../accounts/list-members.ts";
import { listMemberSessions, sessionColumns } from "../accounts/list-sessions.ts";
import { memberColumns, memberFields } from "../accounts/member-fields.ts";
import { removeMember } from "../accounts/remove-member.ts";
import { resetFactors } from "../accounts/reset-factors.ts";
import { setRole } from "../accounts/set-role.ts";
import { makeSignInLink } from "../accounts/sign-in-link.ts";
import { unlinkMember } from "../providers/unlink-member.ts";
import { command } from "./command.ts";
import { fieldOptions, newGiven } from "./field-options.ts";
import { pageOptions, UsageError, uuid } from "./options.ts";
import { withSealing, withStore } from "./with-store.ts";
import { wordId } from "./words.ts";

type Role = (typeof memberFields.role.of)[number];
const id = "0198c0de-0000-7000-8000-000000000001";

export const memberCommands = [
  command({
    name: "member add",
    summary: "add a member and print a link to choose a password (valid for 7 days, once)",
    options: fieldOptions(memberFields, "new", memberRules),
    example: "intake member add --email ada@example.org --name Ada --role member",
    async run({ options, io }) {
      io.result(
        await withSealing(options.data, (ctx, tools) =>
          addMember({ ctx, tools, input: newGiven(memberFields, options) }),
        ),
      );
    },
  }),
  command({
    name: "member list",
    summary: "list members, the AI agent included",
    options: pageOptions,
    example: "intake member list",
    async run({ options, io }) {
      const page = await withStore(options.data, (ctx) => listMembers({ ctx, input: options }));
      io.page(page, memberColumns);
    },
  }),
  command({
    name: "member invite",
    words: ["ID"],
    summary: "print a new link to choose a password; earlier links stop working",
    example: `intake member invite ${id}`,
    async run({ options, words, io }) {
      const input = { id: wordId(words), reset: false };
      io.result(await withSealing(options.data, (ctx, tools) => inviteMember({ ctx, tools, input })));
    },
  }),
  command({
    name: "member role",
    words: ["ID", "ROLE"],
    wordChoices: { ROLE: memberFields.role.of },
    summary: "change the role of a member to admin or member",
    example: `intake member role ${id} admin`,
    async run({ options, words, io }) {
      const input = { id: wordId(words), role: roleOf(words[1]) };
      io.result(await withStore(options.data, (ctx) => setRole({ ctx, input })));
    },
  }),
  command({
    name: "member remove",
    words: ["ID"],
    summary: "remove a member and end their sessions and links; tickets and comments keep their name",
    example: `intake member remove ${id}`,
    async run({ options, words, io }) {
      const input = { id: wordId(words) };
      io.result(await withStore(options.data, (ctx) => removeMember({ ctx, input })));
    },
  }),
  command({
    name: "member reset-password",
    words: ["ID"],
    summary:
      "end a member's password and sessions, and print a link to choose a new password (valid for 30 minutes, once)",
    example: `intake member reset-password ${id}`,
    async run({ options, words, io }) {
      const input = { id: wordId(words), reset: true };
      io.result(await withSealing(options.data, (ctx, tools) => inviteMember({ ctx, tools, input })));
    },
  }),
  command({
    name: "member sessions",
    words: ["ID"],
    summary: "list the sessions of a member: browser, network, how they began and when they were last used",
    example: `intake member sessions ${id}`,
    async run({ options, words, io }) {
      const input = { id: wordId(words) };
      const { items } = await withStore(options.data, (ctx) => listMemberSessions({ ctx, input }));
      io.page({ items, next: null }, sessionColumns);
    },
  }),
  command({
    name: "member end-sessions",
    words: ["ID"],
    summary: "end all sessions of a member, or one of them",
    options: { session: uuid("ID", "this session only") },
    example: `intake member end-sessions ${id}`,
    notes: "The member can sign in again: use member remove or member reset-password to prevent that.",
    async run({ options, words, io }) {
      const { session } = options;
      const input = { id: wordId(words), ...(session === undefined ? {} : { session }) };
      io.result(await withStore(options.data, (ctx) => endMemberSessions({ ctx, input })));
    },
  }),
  command({
    name: "member unlink",
    words: ["ID", "PROVIDER"],
    summary: "unlink a member from an identity provider and end the sessions that began there",
    example: `intake member unlink ${id} keycloak`,
    notes:
      "For an account that was linked to the wrong person, or whose person at the provider is in other hands. `intake member list --json` names the providers of each member.",
    async run({ options, words, io }) {
      const input = { id: wordId(words), provider: words[1] ?? "" };
      io.result(await withStore(options.data, (ctx) => unlinkMember({ ctx, input })));
    },
  }),
  command({
    name: "member reset-factors",
    words: ["ID"],
    summary:
      "take passkeys, authenticator app and recovery codes away from a member who lost them, and end their sessions",
    example: `intake member reset-factors ${id}`,
    notes: "The password stays. Someone who has none takes `intake member sign-in-link` or `reset-password`.",
    async run({ options, words, io }) {
      const input = { id: wordId(words) };
      io.result(await withSealing(options.data, (ctx, tools) => resetFactors({ ctx, tools, input })));
    },
  }),
  command({
    name: "member sign-in-link",
    words: ["ID"],
    summary: "print a link with which a member signs in without password and provider (valid for 15 minutes, once)",
    example: `intake member sign-in-link ${id}`,
    notes: "The way in when the provider fails, or when passwords are off. Whoever has the link is the member.",
    async run({ options, words, io }) {
      const input = { id: wordId(words) };
      io.result(await withStore(options.data, (ctx) => makeSignInLink({ ctx, input })));
    },
  }),
];

function roleOf(word: string | undefined): Role {
  const role = memberFields.role.of.find((known) => known === word);
  if (!role) throw new UsageError(`ROLE must be one of ${memberFields.role.of.join(", ")}`);
  return role;
}
