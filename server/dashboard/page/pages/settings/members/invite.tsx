import { useRef, useState } from "preact/hooks";
import { api, type CallFailed, done } from "../../../core/api.ts";
import { boot } from "../../../core/boot.ts";
import { failureOf } from "../../../core/load.ts";
import { sensitive } from "../../../core/sensitive.ts";
import { bothClocks } from "../../../core/time.ts";
import { CopyButton } from "../../../parts/copy.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { Field } from "../../../parts/field.tsx";
import { Note } from "../../../parts/note.tsx";

export interface MadeLink {
  name: string;
  inviteUrl: string;
  until: string;
  mailed: boolean;
}

const roles = [
  { role: "member", title: "Member", does: "Works on boards, sees reports." },
  { role: "admin", title: "Admin", does: "Also holds tokens, keys, members, settings and the audit log." },
] as const;

/** The dialog that adds a member and then shows the link of the invitation. */
export default function InvitePerson({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<MadeLink>();
  return made ? <LinkDialog made={made} onClose={onClose} /> : <InviteDialog onMade={setMade} onClose={onClose} />;
}

/** The form for the address, the name and the role of a new member. */
function InviteDialog({ onMade, onClose }: { onMade: (made: MadeLink) => void; onClose: () => void }) {
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const [role, setRole] = useState<"admin" | "member">("member");
  const [failed, setFailed] = useState<CallFailed>();
  const [busy, setBusy] = useState(false);

  async function submit(event: Event) {
    event.preventDefault();
    setBusy(true);
    setFailed(undefined);
    try {
      const { inviteUrl, until, mailed } = await sensitive(() => done(api.members.post({ email, name, role })));
      onMade({ name, inviteUrl, until, mailed });
    } catch (error) {
      setFailed(failureOf(error));
      setBusy(false);
    }
  }

  return (
    <Dialog
      title="Invite a person"
      intro={boot.value.mails ? "The link is mailed, and shown to you." : "You get a link to pass on."}
      onClose={onClose}
      footer={
        <>
          <button type="button" class="btn right" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" form="invite" class="btn primary" disabled={busy}>
            Make the link
          </button>
        </>
      }
    >
      <form id="invite" class="stack" onSubmit={submit}>
        <Field label="Name">
          {(tied) => (
            <span class="field">
              <input
                {...tied}
                data-focus
                value={name}
                onInput={(event) => setName(event.currentTarget.value)}
                maxLength={80}
                autocomplete="off"
                required
              />
            </span>
          )}
        </Field>
        <Field label="E-mail" hint="What this person signs in with.">
          {(tied) => (
            <span class="field">
              <input
                {...tied}
                type="email"
                value={email}
                onInput={(event) => setEmail(event.currentTarget.value)}
                autocomplete="off"
                required
              />
            </span>
          )}
        </Field>
        <fieldset class="role-choice">
          <legend>Role</legend>
          {roles.map((one) => (
            <label key={one.role}>
              <input type="radio" name="role" checked={role === one.role} onChange={() => setRole(one.role)} />
              <span>
                <b>{one.title}</b>
                <small class="dim">{one.does}</small>
              </span>
            </label>
          ))}
        </fieldset>
        {failed && <Note tone="err">{failed.message}</Note>}
      </form>
    </Dialog>
  );
}

/** Shows the link once: its secret is not stored. */
export function LinkDialog({ made, onClose }: { made: MadeLink; onClose: () => void }) {
  const code = useRef<HTMLElement>(null);
  return (
    <Dialog
      title={<span dir="auto">A link for {made.name}</span>}
      intro={`${made.mailed ? "It is mailed as well." : "Pass it on yourself."} It works once; with it, a password is chosen.`}
      onClose={onClose}
      footer={
        <>
          <span class="dim">If it is lost, make another one: this one is void then.</span>
          <button type="button" class="btn right" onClick={onClose}>
            Close
          </button>
        </>
      }
    >
      <div class="secret">
        <code ref={code}>{made.inviteUrl}</code>
        <CopyButton text={made.inviteUrl} label="Copy link" class="btn primary" target={() => code.current} focus />
      </div>
      <p class="dim">Works until {bothClocks(made.until)}.</p>
    </Dialog>
  );
}
