import { useState } from "preact/hooks";
import type { MemberView } from "../../../../accounts/list-members.ts";
import { api, done } from "../../core/api.ts";
import { boot } from "../../core/boot.ts";
import { plural } from "../../core/format.ts";
import { useShortcuts } from "../../core/keys.ts";
import { useRows } from "../../core/rows.ts";
import { bothClocks, day, now, span } from "../../core/time.ts";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Shown } from "../../parts/states.tsx";
import { Table } from "../../parts/table.tsx";
import { Ago } from "../../parts/time.tsx";
import { Who } from "../../parts/who.tsx";
import { AdminPage } from "../../shell/admin-page.tsx";
import { actsOn, type MemberAct, MemberConfirm, type MenuAct } from "./members/acts.tsx";
import InvitePerson, { LinkDialog, type MadeLink } from "./members/invite.tsx";
import { MemberSessions } from "./members/sessions.tsx";

type Open = { invite: true } | { made: MadeLink } | { act: MemberAct; member: MemberView } | { sessions: MemberView };

/** The members, roles and invitations of the organisation, with the agent. */
export default function Members() {
  return (
    <AdminPage path="/settings/members" title="Members" what="manage members">
      <MemberList />
    </AdminPage>
  );
}

function MemberList() {
  const members = useRows("members", (cursor) => done(api.members.get({ query: { cursor } })), { kinds: ["member"] });
  const [open, setOpen] = useState<Open>();
  useShortcuts([{ keys: "n", does: "Invite a person", run: () => setOpen({ invite: true }) }]);
  const close = () => setOpen(undefined);

  return (
    <>
      <div class="head">
        <div>
          <h1>Members</h1>
          <p>
            People sign in and work on cards; admins also hold the keys. API tokens are no members: nobody can assign or
            mention one.
          </p>
        </div>
        <button type="button" class="btn primary right" onClick={() => setOpen({ invite: true })}>
          <Icon name="plus" small />
          Invite <span class="kbd">N</span>
        </button>
      </div>
      <Shown loaded={members} rows={4}>
        {({ items }) => (
          <Table columns={["Name", "Role", "Last seen", "State", { name: "Acts", class: "sr-only" }]} class="people">
            {items.map((member) => (
              <MemberRow
                key={member.id}
                member={member}
                onAct={(act) => setOpen(act === "sessions" ? { sessions: member } : { act, member })}
              />
            ))}
          </Table>
        )}
      </Shown>
      {members.more && (
        <button type="button" class="btn" disabled={members.busy} onClick={members.more}>
          Show more
        </button>
      )}
      {open && "invite" in open && <InvitePerson onClose={close} />}
      {open && "made" in open && <LinkDialog made={open.made} onClose={close} />}
      {open && "sessions" in open && <MemberSessions member={open.sessions} onClose={close} />}
      {open && "act" in open && (
        <MemberConfirm
          act={open.act}
          member={open.member}
          onDone={(link) => (link ? setOpen({ made: { ...link, name: open.member.name } }) : close())}
          onClose={close}
        />
      )}
    </>
  );
}

function MemberRow({ member, onAct }: { member: MemberView; onAct: (act: MenuAct) => void }) {
  const { id, name, email, role, seenAt, state } = member;
  const acts = actsOn(member);
  return (
    <tr class={state === "deactivated" ? "inactive" : undefined}>
      <td>
        <div class="row">
          <Who kind={role === "agent" ? "agent" : "member"} name={name} big />
          <span class="two-lines">
            <b class="ellipsis" dir="auto" title={name}>
              {name}
              {id === boot.value.member?.id && <span class="dim"> (you)</span>}
            </b>
            <small class="ellipsis">{email ?? "works on cards that are assigned to it"}</small>
          </span>
        </div>
      </td>
      <td data-label="Role">{role === "agent" ? "Agent" : role === "admin" ? "Admin" : "Member"}</td>
      <td class="dim" data-label="Seen">
        {role === "agent" ? "–" : seenAt === null ? "never" : <Ago at={seenAt} />}
      </td>
      <td data-label="">
        <span class="row">
          <State member={member} />
          <SecondFactors member={member} />
        </span>
      </td>
      <td class="align-right">
        {acts.length > 0 && (
          <Menu label={`Acts on ${name}`} items={acts.map((act) => ({ ...act, run: () => onAct(act.act) }))} />
        )}
      </td>
    </tr>
  );
}

function SecondFactors({ member: { factors } }: { member: MemberView }) {
  if (!factors.app && factors.passkeys === 0) return null;
  const what = [
    ...(factors.passkeys > 0 ? [plural(factors.passkeys, "passkey")] : []),
    ...(factors.app ? ["authenticator app"] : []),
  ].join(", ");
  return (
    <span class="pill line" title={what}>
      <Icon name="shield" />
      <span aria-hidden="true">2nd factor</span>
      <span class="sr-only">Second factor: {what}</span>
    </span>
  );
}

function State({ member: { state, link } }: { member: MemberView }) {
  if (state === "deactivated") return <span class="pill">Deactivated</span>;
  if (state === "active") return <span class="pill ok">Active</span>;
  if (!link) return <span class="pill warn">Has no link</span>;
  const left = new Date(link.until).getTime() - now.value;
  return (
    <span class="pill info" title={`Until ${bothClocks(link.until)}`}>
      {link.kind === "invite" ? "Invited" : "Password reset"}, link until{" "}
      {left > 86_400_000 ? day(link.until) : `in ${span(Math.max(0, left))}`}
    </span>
  );
}
