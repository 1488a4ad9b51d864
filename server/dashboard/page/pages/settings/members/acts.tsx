import type { MemberView } from "../../../../../accounts/list-members.ts";
import { api, done } from "../../../core/api.ts";
import { boot } from "../../../core/boot.ts";
import { say } from "../../../core/say.ts";
import { sensitive } from "../../../core/sensitive.ts";
import { Confirm } from "../../../parts/confirm.tsx";
import type { IconName } from "../../../parts/icon.tsx";
import type { MadeLink } from "./invite.tsx";

export type MemberAct =
  | `unlink ${string}`
  | "admin"
  | "member"
  | "invite"
  | "revoke"
  | "reset"
  | "factors"
  | "deactivate"
  | "restore";

/** What the menu of a member has: its actions, and the list of sessions. */
export type MenuAct = MemberAct | "sessions";

/** The actions for a member, in the order of the menu. */
export function actsOn({
  id,
  role,
  state,
  link,
  providers,
  factors,
}: MemberView): { act: MenuAct; label: string; icon: IconName; danger?: boolean }[] {
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
    ...(isSelf ? [] : [{ act: "sessions" as const, label: "Sessions", icon: "phone" as const }]),
    ...providers.map((provider) => ({
      act: `unlink ${provider.id}` as const,
      label: `Unlink ${provider.name}`,
      icon: "link" as const,
      danger: true,
    })),
    ...((factors.app || factors.passkeys > 0) && !isSelf
      ? [{ act: "factors" as const, label: "Reset second factors", icon: "shield" as const }]
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
  onDone: (link?: Omit<MadeLink, "name">) => void;
  onClose: () => void;
}) {
  const { title, verb, effect, said } = words(act, member);
  let link: Omit<MadeLink, "name"> | undefined;
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

async function run(act: MemberAct, id: string): Promise<Omit<MadeLink, "name"> | undefined> {
  const calls = api.members({ id });
  if (act === "admin" || act === "member") await done(calls.patch({ role: act }));
  else if (act === "revoke") await done(calls.invite.delete());
  else if (isUnlink(act)) await done(calls.identities({ provider: act.slice(unlink.length) }).delete());
  else if (act === "factors") await done(calls["reset-factors"].post({}));
  else if (act === "deactivate") await done(calls.delete());
  else
    return done(
      act === "invite" ? calls.invite.post({}) : act === "reset" ? calls.reset.post({}) : calls.restore.post({}),
    );
  return undefined;
}

interface Words {
  title: string;
  verb: string;
  effect: string;
  said: string;
}

function words(act: MemberAct, { name, providers }: MemberView): Words {
  if (isUnlink(act)) {
    const id = act.slice(unlink.length);
    return unlinkWords(name, providers.find((provider) => provider.id === id)?.name ?? id);
  }
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
    case "factors":
      return {
        title: `Reset the second factors of ${name}?`,
        verb: "Reset factors",
        effect:
          "Passkeys, authenticator app and recovery codes are taken away, and every session ends. The password stays. Be sure that it is this person who asks.",
        said: `${name} signs in without a second factor now.`,
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

const unlink = "unlink ";

function isUnlink(act: MemberAct): act is `unlink ${string}` {
  return act.startsWith(unlink);
}

function unlinkWords(name: string, provider: string): Words {
  return {
    title: `Unlink ${name} from ${provider}?`,
    verb: "Unlink",
    effect: `Sessions that began at ${provider} end, and ${provider} lets this person in no more until the account is linked again. Without a password the person needs a new link from you.`,
    said: `${name} is not linked to ${provider} any more.`,
  };
}
