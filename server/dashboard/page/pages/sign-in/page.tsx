import { useEffect, useState } from "preact/hooks";
import type { SecondWays } from "../../../../accounts/second-step.ts";
import { api, type CallFailed, done } from "../../core/api.ts";
import { boot } from "../../core/boot.ts";
import { failureOf } from "../../core/load.ts";
import { go, place } from "../../core/router.ts";
import { safePath } from "../../core/safe-path.ts";
import { Entry, focusOnce, PasswordField } from "../../parts/entry.tsx";
import { Field } from "../../parts/field.tsx";
import { Note } from "../../parts/note.tsx";
import { SignInWithPasskey } from "./passkey.tsx";
import { linkPending, Providers } from "./providers.tsx";
import { ByProxy } from "./proxy.tsx";
import { SecondStep } from "./second-step.tsx";

/** The sign-in, shown in place of any page; the page follows once a person is signed in. */
export default function SignIn() {
  const { member, organisation } = boot.value;
  const here = place.value.path === "/sign-in";
  useEffect(() => {
    if (member && here) go(wanted(), { replace: true });
  }, [member, here]);
  if (organisation === undefined) return <NotSetUp />;
  return (
    <Entry
      title={`Sign in to ${organisation}`}
      intro={here || place.value.path === "/" ? undefined : "Then you are where you wanted to go."}
      foot={boot.value.passwords === false ? undefined : <Forgotten />}
    >
      <ByProxy onDone={enter} />
      <Providers next={here ? wanted() : place.value.path + location.search} />
      {boot.value.passwords !== false && <SignInForm />}
    </Entry>
  );
}

function Forgotten() {
  if (boot.value.mails && boot.value.passwords !== false) {
    return (
      <details class="grow">
        <summary>Forgot your password?</summary>
        <ForgottenForm />
      </details>
    );
  }
  return (
    <details class="grow">
      <summary>Forgotten?</summary>
      <p class="soft">
        An admin makes you a link under Settings, Members. The last admin runs <code>intake member reset-password</code>{" "}
        on the server.
      </p>
    </details>
  );
}

/** Asks for a link by mail. The answer is the same for every address. */
function ForgottenForm() {
  const [email, setEmail] = useState("");
  const [asked, setAsked] = useState(false);
  const [failed, setFailed] = useState<string>();

  async function submit(event: Event) {
    event.preventDefault();
    setFailed(undefined);
    try {
      await done(api["forgotten-password"].post({ email }));
      setAsked(true);
    } catch (error) {
      setFailed(failureOf(error).message);
    }
  }

  if (asked) {
    return (
      <p class="soft" role="status">
        If {email} is a member’s address, a mail with a link is on its way. The link works once, for 30 minutes. None
        came? An admin can make you one.
      </p>
    );
  }
  return (
    <form class="stack" onSubmit={submit}>
      <p class="soft">You are mailed a link to choose a new password.</p>
      <Field label="Your e-mail address" wrong={failed}>
        {(tied) => (
          <span class="field">
            <input
              {...tied}
              type="email"
              value={email}
              onInput={(event) => setEmail(event.currentTarget.value)}
              autocomplete="username"
              required
            />
          </span>
        )}
      </Field>
      <button type="submit" class="btn wide">
        Mail me a link
      </button>
    </form>
  );
}

function NotSetUp() {
  return (
    <Entry title="Not set up yet" intro="There is no organisation here so far.">
      <p>
        <code>intake serve</code> printed a link that sets this installation up. It also stands in the file{" "}
        <code>setup-link</code> of the data directory.
      </p>
    </Entry>
  );
}

/** The document is loaded again, so that nothing of the earlier session stays in memory. */
function enter() {
  if (place.value.path === "/sign-in") location.replace(wanted());
  else location.reload();
}

function wanted(): string {
  return safePath(place.value.query.get("next"));
}

function SignInForm() {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [failed, setFailed] = useState<CallFailed>();
  const [busy, setBusy] = useState(false);
  const [second, setSecond] = useState<SecondWays>();
  const wait = useCountdown(failed);

  async function submit(event: Event) {
    event.preventDefault();
    setBusy(true);
    setFailed(undefined);
    try {
      const answer = await done(api.session.post({ email, password }));
      if (answer.second) setSecond(answer.second);
      else await signedIn();
    } catch (error) {
      setFailed(failureOf(error));
      setBusy(false);
    }
  }

  if (second) {
    const over = (failure: CallFailed) => {
      setSecond(undefined);
      setPassword("");
      setBusy(false);
      setFailed(failure);
    };
    return <SecondStep ways={second} signedIn={signedIn} onOver={over} />;
  }
  const wrong = failed?.code === "wrong_password" ? failed.message : undefined;
  return (
    <form class="stack" onSubmit={submit}>
      <SignInWithPasskey signedIn={signedIn} />
      <Field label="E-mail">
        {(tied) => (
          <span class="field">
            <input
              {...tied}
              type="email"
              value={email}
              onInput={(event) => setEmail(event.currentTarget.value)}
              autocomplete="username webauthn"
              ref={focusOnce}
              required
            />
          </span>
        )}
      </Field>
      <PasswordField label="Password" value={password} onInput={setPassword} wrong={wrong} />
      {failed && wrong === undefined && (
        <Note tone={wait > 0 ? "warn" : "err"}>
          {failed.retrySeconds === undefined
            ? failed.message
            : wait > 0
              ? `Too many tries. Next one in ${wait} s.`
              : "You can try again now."}
        </Note>
      )}
      <button type="submit" class="btn primary large wide" disabled={busy || wait > 0}>
        {busy ? "Signing in…" : "Sign in"}
      </button>
    </form>
  );
}

async function signedIn() {
  await linkPending();
  enter();
}

/** Seconds until the server accepts the next try. */
function useCountdown(failed: CallFailed | undefined): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const until = Date.now() + (failed?.retrySeconds ?? 0) * 1_000;
    const tell = () => setSeconds(Math.max(0, Math.ceil((until - Date.now()) / 1_000)));
    tell();
    const timer = setInterval(tell, 250);
    return () => clearInterval(timer);
  }, [failed]);
  return seconds;
}
