import { useState } from "preact/hooks";
import type { MemberView } from "../../../../accounts/list-members.ts";
import { api, done } from "../../core/api.ts";
import { boot, isAdmin } from "../../core/boot.ts";
import { useShortcuts } from "../../core/keys.ts";
import { useRows } from "../../core/rows.ts";
import { bothClocks, day, now, span } from "../../core/time.ts";
import { AdminsOnly } from "../../parts/admins-only.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Shown } from "../../parts/states.tsx";
import { Ago } from "../../parts/time.tsx";
import { Who } from "../../parts/who.tsx";
import { Bar, crumbsOf } from "../../shell/bar.tsx";
import { actsOn, type MemberAct, MemberConfirm } from "./members/acts.tsx";
import InvitePerson, { LinkDialog, type MadeLink } from "./members/invite.tsx";

type Open = { invite: true } | { made: MadeLink } | { act: MemberAct; member: MemberView };

/** The members, roles and invitations of the organisation, with the agent. */
export default function Members() {
  return (
    <>
      <Bar crumbs={crumbsOf("/settings/members")}>
        <span class="pill line">
          <Icon name="shield" />
          Admin only
        </span>
      </Bar>
      <main id="main" class="page">
        {isAdmin.value ? (
          <MemberList />
        ) : (
          <>
            <h1>Members</h1>
            <AdminsOnly what="manage members" />
          </>
        )}
      </main>
    </>
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
          Invite <span class="k">N</span>
        </button>
      </div>
      <Shown loaded={members} rows={4}>
        {({ items }) => (
          <div class="sheet">
            <table class="table lines people">
              <thead>
                <tr>
                  <th scope="col">Name</th>
                  <th scope="col">Role</th>
                  <th scope="col">Last seen</th>
                  <th scope="col">State</th>
                  <th scope="col">
                    <span class="sr">Acts</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {items.map((member) => (
                  <MemberRow key={member.id} member={member} onAct={(act) => setOpen({ act, member })} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Shown>
      {members.more && (
        <button type="button" class="btn" disabled={members.busy} onClick={members.more}>
          Show more
        </button>
      )}
      {open && "invite" in open && <InvitePerson onClose={close} />}
      {open && "made" in open && <LinkDialog made={open.made} onClose={close} />}
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

function MemberRow({ member, onAct }: { member: MemberView; onAct: (act: MemberAct) => void }) {
  const { id, name, email, role, seenAt, state } = member;
  const acts = actsOn(member);
  return (
    <tr class={state === "deactivated" ? "off" : undefined}>
      <td>
        <div class="row">
          <Who kind={role === "agent" ? "agent" : "member"} name={name} big />
          <span class="two-lines">
            <b class="clip" dir="auto" title={name}>
              {name}
              {id === boot.value.member?.id && <span class="dim"> (you)</span>}
            </b>
            <small class="clip">{email ?? "works on cards that are assigned to it"}</small>
          </span>
        </div>
      </td>
      <td data-label="Role">{role === "agent" ? "Agent" : role === "admin" ? "Admin" : "Member"}</td>
      <td class="dim" data-label="Seen">
        {role === "agent" ? "–" : seenAt === null ? "never" : <Ago at={seenAt} />}
      </td>
      <td data-label="State">
        <State member={member} />
      </td>
      <td class="r">
        {acts.length > 0 && (
          <Menu label={`Acts on ${name}`} items={acts.map((act) => ({ ...act, run: () => onAct(act.act) }))} />
        )}
      </td>
    </tr>
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
