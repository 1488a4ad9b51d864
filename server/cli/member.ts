import { addMember, memberRules } from "../accounts/add-member.ts";
import { inviteMember } from "../accounts/invite-member.ts";
import { listMembers } from "../accounts/list-members.ts";
import { memberColumns, memberFields } from "../accounts/member-fields.ts";
import { removeMember } from "../accounts/remove-member.ts";
import { setRole } from "../accounts/set-role.ts";
import { command } from "./command.ts";
import { fieldOptions, newGiven } from "./field-options.ts";
import { pageOptions, UsageError } from "./options.ts";
import { withStore } from "./with-store.ts";
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
      io.result(await withStore(options.data, (ctx) => addMember({ ctx, input: newGiven(memberFields, options) })));
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
      io.result(await withStore(options.data, (ctx) => inviteMember({ ctx, input })));
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
      io.result(await withStore(options.data, (ctx) => inviteMember({ ctx, input })));
    },
  }),
];

function roleOf(word: string | undefined): Role {
  const role = memberFields.role.of.find((known) => known === word);
  if (!role) throw new UsageError(`ROLE must be one of ${memberFields.role.of.join(", ")}`);
  return role;
}
