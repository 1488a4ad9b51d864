import { useState } from "preact/hooks";
import { api, type CallFailed, done } from "../../core/api.ts";
import { failureOf, useLoad } from "../../core/load.ts";
import { place } from "../../core/router.ts";
import { Entry, PasswordField } from "../../parts/entry.tsx";
import { Field } from "../../parts/field.tsx";
import { Note } from "../../parts/note.tsx";

type Invitation = Awaited<ReturnType<typeof show>>;

function show(secret: string) {
  return done(api.invitations.show.post({ secret }));
}

/** The page of an invitation or password reset: a person chooses a password and is signed in. */
export default function Invite() {
  // Read once, because the address loses its secret when that is used.
  const [secret] = useState(place.value.fragment);
  const { data, failed, waiting } = useLoad("invitation", () => show(secret));
  if (data) return <Choose invitation={data} secret={secret} />;
  if (failed) return <Spent failed={failed} />;
  return <Entry title="One moment">{waiting && <p class="soft">Looking at the link…</p>}</Entry>;
}

function Spent({ failed }: { failed: CallFailed }) {
  return (
    <Entry
      title="This link does not work"
      intro={failed.code === "not_found" ? "Links work once and for a limited time." : undefined}
      foot={
        <a class="btn right" href="/sign-in">
          Sign in
        </a>
      }
    >
      <p>{failed.message}</p>
    </Entry>
  );
}

function Choose({ invitation, secret }: { invitation: Invitation; secret: string }) {
  const joins = invitation.kind === "invite";
  const [name, setName] = useState(invitation.name);
  const [password, setPassword] = useState("");
  const [failed, setFailed] = useState<CallFailed>();
  const [busy, setBusy] = useState(false);

  async function submit(event: Event) {
    event.preventDefault();
    setBusy(true);
    setFailed(undefined);
    try {
      const { id } = await done(api.invitations.accept.post({ secret, password, ...(joins ? { name } : {}) }));
      // Whoever has a second factor signs in with it.
      location.replace(id === null ? "/sign-in" : "/");
    } catch (error) {
      setFailed(failureOf(error));
      setBusy(false);
    }
  }

  if (failed?.code === "not_found") return <Spent failed={failed} />;
  const aboutPassword = failed !== undefined && /password/.test(failed.message);
  return (
    <Entry
      title={joins ? `Join ${invitation.organisation}` : "Choose a new password"}
      intro={
        joins ? (
          <>
            As {invitation.role === "admin" ? "an admin" : "a member"}, with the address <b>{invitation.email}</b>.
          </>
        ) : (
          <>
            For <b>{invitation.email}</b> at {invitation.organisation}. You are signed in with it at once, unless you
            have a second factor: then you sign in with both.
          </>
        )
      }
    >
      <form class="stack" onSubmit={submit}>
        {/* Password managers want to know whose password it is. */}
        <input
          class="sr-only"
          tabIndex={-1}
          aria-hidden="true"
          autocomplete="username"
          value={invitation.email}
          readOnly
        />
        {joins && (
          <Field label="Your name" hint="As others see it on cards and in activity.">
            {(tied) => (
              <span class="field">
                <input
                  {...tied}
                  value={name}
                  onInput={(event) => setName(event.currentTarget.value)}
                  autocomplete="name"
                  maxLength={80}
                  required
                />
              </span>
            )}
          </Field>
        )}
        <PasswordField
          label="Password"
          value={password}
          onInput={setPassword}
          fresh
          focus
          hint="At least 12 characters; a few words do. Not your e-mail address, and none that everybody has."
          wrong={aboutPassword ? failed.message : undefined}
        />
        {failed && !aboutPassword && <Note tone="err">{failed.message}</Note>}
        <button type="submit" class="btn primary large wide" disabled={busy}>
          {joins ? "Join" : "Set password"}
        </button>
      </form>
    </Entry>
  );
}
