import { useEffect, useRef, useState } from "preact/hooks";
import type { CallFailed } from "../../core/api.ts";
import { failureOf } from "../../core/load.ts";
import { now, span } from "../../core/time.ts";
import { focusOnce, PasswordField } from "../../parts/entry.tsx";
import { Field } from "../../parts/field.tsx";
import { Note } from "../../parts/note.tsx";
import type { Step } from "./frame.tsx";

export interface Given {
  organisation: string;
  email: string;
  password: string;
  publicUrl: string;
}

/** The time left is shown when it is short. */
const shortMilliseconds = 10 * 60_000;

/** Two small forms: the name and address of the organisation, and its first admin. */
export function Questions({
  step,
  onStep,
  given,
  onGiven,
  fixedUrl,
  seconds,
  onSubmit,
}: {
  step: Step;
  onStep: (step: Step) => void;
  given: Given;
  onGiven: (given: Given) => void;
  /** True when the address was given at the start of the server. */
  fixedUrl: string | undefined;
  seconds: number;
  onSubmit: () => Promise<void>;
}) {
  const [until] = useState(() => Date.now() + seconds * 1_000);
  const left = until - now.value;
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (fixedUrl !== undefined) onGiven({ ...given, publicUrl: fixedUrl });
  }, []);
  return (
    <>
      <div class="lead">
        <h1 ref={head}>{step === "organisation" ? "Set up Intake" : "Who looks after it?"}</h1>
        <p>
          {step === "organisation"
            ? "It takes a minute: an organisation, its first admin, and something to send in."
            : "The first admin. Others are invited later, by link."}
        </p>
      </div>
      {left < shortMilliseconds && (
        <Note>
          {left > 0
            ? `This link works for another ${span(left)}.`
            : "This link is too old by now. Restart `intake serve` to print a new one."}
        </Note>
      )}
      {step === "organisation" ? (
        <Organisation given={given} onGiven={onGiven} fixedUrl={fixedUrl} onNext={() => onStep("admin")} />
      ) : (
        <Admin given={given} onGiven={onGiven} onBack={() => onStep("organisation")} onSubmit={onSubmit} />
      )}
    </>
  );
}

function Organisation({
  given,
  onGiven,
  fixedUrl,
  onNext,
}: {
  given: Given;
  onGiven: (given: Given) => void;
  fixedUrl: string | undefined;
  onNext: () => void;
}) {
  const elsewhere = given.publicUrl.replace(/\/+$/, "") !== location.origin;
  return (
    <form
      class="tile ask"
      onSubmit={(event) => {
        event.preventDefault();
        onNext();
      }}
    >
      <Field label="Name of the organisation" hint="Shown in the corner of every page.">
        {(tied) => (
          <span class="field">
            <input
              {...tied}
              value={given.organisation}
              onInput={(event) => onGiven({ ...given, organisation: event.currentTarget.value })}
              autocomplete="organization"
              maxLength={80}
              pattern=".*\S.*"
              title="A name"
              ref={focusOnce}
              required
            />
          </span>
        )}
      </Field>
      <Field
        label="Public URL"
        hint={
          fixedUrl === undefined
            ? "Where people and CI jobs reach this server. Links on cards begin with it; it can be changed later."
            : "Given by --public-url when the server was started."
        }
      >
        {(tied) => (
          <span class="field mono">
            <input
              {...tied}
              type="url"
              value={given.publicUrl}
              readOnly={fixedUrl !== undefined}
              onInput={(event) => onGiven({ ...given, publicUrl: event.currentTarget.value })}
              maxLength={2_048}
              pattern="https?://[^\/?#]+\/?"
              title="An address without a path, such as https://intake.example.org"
              required
            />
          </span>
        )}
      </Field>
      {elsewhere && (
        <Note>
          You opened this page at <b class="mono">{location.origin}</b>. Links will lead to the address above instead.
        </Note>
      )}
      <div class="row">
        <button type="submit" class="btn primary large">
          Continue
        </button>
      </div>
    </form>
  );
}

function Admin({
  given,
  onGiven,
  onBack,
  onSubmit,
}: {
  given: Given;
  onGiven: (given: Given) => void;
  onBack: () => void;
  onSubmit: () => Promise<void>;
}) {
  const [failed, setFailed] = useState<CallFailed>();
  const [busy, setBusy] = useState(false);

  async function submit(event: Event) {
    event.preventDefault();
    setBusy(true);
    setFailed(undefined);
    try {
      await onSubmit();
    } catch (error) {
      setFailed(failureOf(error));
      setBusy(false);
    }
  }

  const message = failed?.message;
  const wrong = (about: RegExp) =>
    failed?.code === "invalid_input" && about.test(failed.message) ? message : undefined;
  const wrongPassword = wrong(/password/);
  const wrongEmail = wrongPassword === undefined ? wrong(/e-mail/) : undefined;
  return (
    <form class="tile ask" onSubmit={submit}>
      <Field
        label="Your e-mail"
        hint="You sign in with it. Nothing is mailed to it before a mail server is set."
        wrong={wrongEmail}
      >
        {(tied) => (
          <span class="field">
            <input
              {...tied}
              type="email"
              value={given.email}
              onInput={(event) => onGiven({ ...given, email: event.currentTarget.value })}
              autocomplete="username"
              maxLength={254}
              ref={focusOnce}
              required
            />
          </span>
        )}
      </Field>
      <PasswordField
        label="Password"
        value={given.password}
        onInput={(password) => onGiven({ ...given, password })}
        fresh
        hint="At least 12 characters; a few words do. Not your e-mail address, and none that everybody has."
        wrong={wrongPassword}
      />
      {message !== undefined && wrongEmail === undefined && wrongPassword === undefined && (
        <Note tone="err">{message}</Note>
      )}
      <div class="row">
        <button type="submit" class="btn primary large" disabled={busy}>
          {busy ? "Setting up…" : "Set up"}
        </button>
        <button type="button" class="btn ghost large" onClick={onBack}>
          Back
        </button>
      </div>
    </form>
  );
}
