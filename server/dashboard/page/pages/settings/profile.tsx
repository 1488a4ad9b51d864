import { useState } from "preact/hooks";
import { api, type CallFailed, done } from "../../core/api.ts";
import { boot } from "../../core/boot.ts";
import { plural } from "../../core/format.ts";
import { failureOf, useLoad } from "../../core/load.ts";
import { say } from "../../core/say.ts";
import { sensitive } from "../../core/sensitive.ts";
import { signOut } from "../../core/sign-out.ts";
import { PasswordField } from "../../parts/entry.tsx";
import { Field } from "../../parts/field.tsx";
import { Note } from "../../parts/note.tsx";
import { Shown } from "../../parts/states.tsx";
import { Bar, crumbsOf } from "../../shell/bar.tsx";
import { Factors } from "./profile/factors.tsx";
import { Identities } from "./profile/identities.tsx";
import { SessionsSummary } from "./profile/sessions.tsx";

/** The name and password of the signed-in person. */
export default function Profile() {
  const self = useLoad("me", () => done(api.me.get()));
  return (
    <>
      <Bar crumbs={crumbsOf("/settings/profile")}>
        <SignOut />
      </Bar>
      <main id="main" class="page">
        <h1>Profile</h1>
        <Shown loaded={self} rows={4}>
          {({ name, email, role, hasPassword }) => (
            <div class="forms">
              <NameForm name={name} email={email} role={role} />
              <PasswordForm email={email} has={hasPassword} onChanged={self.reload} />
              <Factors />
              <Identities />
              <SessionsSummary />
            </div>
          )}
        </Shown>
      </main>
    </>
  );
}

export function SignOut() {
  const [busy, setBusy] = useState(false);
  async function leave() {
    setBusy(true);
    await signOut();
    setBusy(false);
  }
  return (
    <button type="button" class="btn" disabled={busy} onClick={leave}>
      Sign out
    </button>
  );
}

function NameForm({ name: first, email, role }: { name: string; email: string | null; role: string }) {
  const [name, setName] = useState(first);
  const [failed, setFailed] = useState<CallFailed>();
  async function submit(event: Event) {
    event.preventDefault();
    setFailed(undefined);
    try {
      await done(api.me.patch({ name }));
      const { member } = boot.value;
      if (member) boot.value = { ...boot.value, member: { ...member, name } };
      say("Your name is changed. What you did before keeps the old one.");
    } catch (error) {
      setFailed(failureOf(error));
    }
  }
  return (
    <form class="sheet padded stack" onSubmit={submit}>
      <h2>You</h2>
      <Field label="Name" hint="As others see it on cards and in activity." wrong={failed?.message}>
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
      <dl class="facts stacked">
        <div>
          <dt>E-mail</dt>
          <dd>{email}</dd>
        </div>
        <div>
          <dt>Role</dt>
          <dd>{role === "admin" ? "Admin" : "Member"}</dd>
        </div>
      </dl>
      <footer>
        <button type="submit" class="btn primary" disabled={name === first}>
          Save name
        </button>
      </footer>
    </form>
  );
}

function PasswordForm({ email, has, onChanged }: { email: string | null; has: boolean; onChanged: () => void }) {
  const [current, setCurrent] = useState("");
  const [password, setPassword] = useState("");
  const [failed, setFailed] = useState<CallFailed>();
  const [busy, setBusy] = useState(false);
  async function submit(event: Event) {
    event.preventDefault();
    setBusy(true);
    setFailed(undefined);
    try {
      const body = has ? { current, password } : { password };
      const { ended } = await sensitive(() => done(api.me.password.post(body)));
      onChanged();
      say(
        `Your password is ${has ? "changed" : "chosen"}.${ended > 0 ? ` ${plural(ended, "other session")} ended.` : ""}`,
      );
      setCurrent("");
      setPassword("");
    } catch (error) {
      setFailed(failureOf(error));
    } finally {
      setBusy(false);
    }
  }
  const wrongCurrent = failed?.code === "wrong_password" ? failed.message : undefined;
  const wrongNew = failed?.code === "invalid_input" ? failed.message : undefined;
  return (
    <form class="sheet padded stack" onSubmit={submit}>
      <h2>Password</h2>
      <input class="sr-only" tabIndex={-1} aria-hidden="true" autocomplete="username" value={email ?? ""} readOnly />
      {has && <PasswordField label="Present password" value={current} onInput={setCurrent} wrong={wrongCurrent} />}
      <PasswordField
        label="New password"
        value={password}
        onInput={setPassword}
        fresh
        hint="At least 12 characters; a few words do. It ends every other session of yours."
        wrong={wrongNew}
      />
      {failed && !wrongCurrent && !wrongNew && <Note tone="err">{failed.message}</Note>}
      <footer>
        <button type="submit" class="btn primary" disabled={busy || (has && current === "") || password === ""}>
          {has ? "Change password" : "Choose a password"}
        </button>
      </footer>
    </form>
  );
}
