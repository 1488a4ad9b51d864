import type { MemberView } from "../../../../../accounts/list-members.ts";
import { api, done } from "../../../core/api.ts";
import { boot } from "../../../core/boot.ts";
import { say } from "../../../core/say.ts";
import { sensitive } from "../../../core/sensitive.ts";
import { Confirm } from "../../../parts/confirm.tsx";
import type { IconName } from "../../../parts/icon.tsx";

export type MemberAct = "admin" | "member" | "invite" | "revoke" | "reset" | "deactivate" | "restore";

/** The actions for a member, in the order of the menu. */
export function actsOn({
  id,
  role,
  state,
  link,
}: MemberView): { act: MemberAct; label: string; icon: IconName; danger?: boolean }[] {
  if (role === "agent") return [];
  if (state === "deactivated") return [{ act: "restore", label: "Reactivate", icon: "undo" }];
  const change = role === "admin" ? ("member" as const) : ("admin" as const);
  const isSelf = id === boot.value.member?.id;
  return [
    { act: change, label: change === "admin" ? "Make admin" : "Make member", icon: "shield" },
    ...(state === "waiting" ? [{ act: "invite" as const, label: "Make a new link", icon: "link" as const }] : []),
    ...(state === "waiting" && link
      ? [{ act: "revoke" as const, label: "Revoke the link", icon: "x" as const, danger: true }]
      : []),
    ...(state === "active" && !isSelf
      ? [{ act: "reset" as const, label: "Reset password", icon: "key" as const }]
      : []),
    { act: "deactivate", label: isSelf ? "Leave" : "Deactivate", icon: "pause", danger: true },
  ];
}

/** Asks before an action and runs it. `onDone` receives the link when the action made one. */
export function MemberConfirm({
  act,
  member,
  onDone,
  onClose,
}: {
  act: MemberAct;
  member: MemberView;
  onDone: (link?: { inviteUrl: string; until: string }) => void;
  onClose: () => void;
}) {
  const { name } = member;
  const { title, verb, effect, said } = words(act, name);
  let link: { inviteUrl: string; until: string } | undefined;
  return (
    <Confirm
      title={<span dir="auto">{title}</span>}
      verb={verb}
      onConfirm={async () => {
        link = await sensitive(() => run(act, member.id));
        if (!link) say(said);
      }}
      onClose={() => (link ? onDone(link) : onClose())}
    >
      <p>{effect}</p>
    </Confirm>
  );
}

async function run(act: MemberAct, id: string): Promise<{ inviteUrl: string; until: string } | undefined> {
  const calls = api.members({ id });
  if (act === "admin" || act === "member") await done(calls.patch({ role: act }));
  else if (act === "revoke") await done(calls.invite.delete());
  else if (act === "deactivate") await done(calls.delete());
  else
    return done(
      act === "invite" ? calls.invite.post({}) : act === "reset" ? calls.reset.post({}) : calls.restore.post({}),
    );
  return undefined;
}

function words(act: MemberAct, name: string): { title: string; verb: string; effect: string; said: string } {
  switch (act) {
    case "admin":
      return {
        title: `Make ${name} an admin?`,
        verb: "Make admin",
        effect:
          "Admins create tokens and keys, invite and remove people and read the audit log. Every session of this person ends; the next sign-in has the new role.",
        said: `${name} is an admin.`,
      };
    case "member":
      return {
        title: `Make ${name} a member?`,
        verb: "Make member",
        effect: "The rights of an admin are gone at once. Every session of this person ends.",
        said: `${name} is a member.`,
      };
    case "invite":
      return {
        title: `A new link for ${name}?`,
        verb: "Make the link",
        effect: "Links made before are void. The new one works once, within 7 days.",
        said: "",
      };
    case "revoke":
      return {
        title: `Revoke the link of ${name}?`,
        verb: "Revoke link",
        effect: "The link does not work any more. Whoever has never joined is taken off this list.",
        said: "The link is void.",
      };
    case "reset":
      return {
        title: `Reset the password of ${name}?`,
        verb: "Reset password",
        effect:
          "The present password is void at once and every session ends. You get a link with which a new one is chosen, once and within 30 minutes.",
        said: "",
      };
    case "deactivate":
      return {
        title: `Deactivate ${name}?`,
        verb: "Deactivate",
        effect:
          "Every session ends, and this person cannot sign in. What was made keeps the name, what is assigned stays so. You can reactivate later.",
        said: `${name} is deactivated.`,
      };
    case "restore":
      return {
        title: `Reactivate ${name}?`,
        verb: "Reactivate",
        effect: "In the former role. You get a link with which a new password is chosen, once and within 7 days.",
        said: "",
      };
  }
}
