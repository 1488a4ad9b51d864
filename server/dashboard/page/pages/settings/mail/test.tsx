import { useState } from "preact/hooks";
import { api, done } from "../../../core/api.ts";
import { boot } from "../../../core/boot.ts";
import { failureOf } from "../../../core/load.ts";
import { sensitive } from "../../../core/sensitive.ts";
import { Field } from "../../../parts/field.tsx";
import { Note } from "../../../parts/note.tsx";

type Tested = Awaited<ReturnType<typeof send>>;
const send = (to: string) => done(api.mail.test.post({ to }));

/** Sends a mail now, and says each step that worked and why one did not. */
export function TestMail() {
  const [to, setTo] = useState(boot.value.member?.email ?? "");
  const [tested, setTested] = useState<Tested | "waiting">();
  const [wrong, setWrong] = useState<string>();

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    setWrong(undefined);
    setTested("waiting");
    try {
      setTested(await sensitive(() => send(to)));
    } catch (error) {
      setTested(undefined);
      setWrong(failureOf(error).message);
    }
  }

  return (
    <section class="stacked" aria-label="Test">
      <h2>Test</h2>
      <form class="row wrap end-aligned" onSubmit={submit}>
        <Field label="To" wrong={wrong}>
          {(tied) => (
            <span class="field width-280">
              <input
                {...tied}
                type="email"
                value={to}
                onInput={(event) => setTo(event.currentTarget.value)}
                autocomplete="off"
                required
              />
            </span>
          )}
        </Field>
        <button type="submit" class="btn" disabled={tested === "waiting"}>
          Send a test mail
        </button>
      </form>
      <div role="status">{tested !== undefined && <Result tested={tested} />}</div>
    </section>
  );
}

function Result({ tested }: { tested: Tested | "waiting" }) {
  if (tested === "waiting") return <Note tone="info">Sending, 60 s at most…</Note>;
  const { accepted, to, steps, problem } = tested;
  return (
    <Note tone={accepted ? "ok" : "err"}>
      {accepted ? (
        <>
          <b>The mail server has accepted the mail to {to}.</b> Look whether it is in the mailbox, or counts as spam.
        </>
      ) : (
        <>
          <b>The test mail was not accepted</b>: {problem}.{" "}
          {steps.length > 0 && `Before that it worked: ${steps.join("; ")}.`}
        </>
      )}
    </Note>
  );
}
