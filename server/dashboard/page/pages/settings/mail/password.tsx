import { useState } from "preact/hooks";
import { api, done } from "../../../core/api.ts";
import { failureOf } from "../../../core/load.ts";
import { say } from "../../../core/say.ts";
import { sensitive } from "../../../core/sensitive.ts";
import type { MailData } from "../mail.tsx";

const states = {
  set: "One is stored. It is never shown.",
  none: "None is stored.",
  unusable: "The stored one is for another mail server, or its key is lost: give it again.",
} as const;

/** The password of the mail server: given, replaced or taken away, and never shown. */
export function PasswordRow({ state, onSaved }: { state: MailData["password"]; onSaved: () => void }) {
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState<string>();

  async function save(password: string) {
    try {
      await sensitive(() => done(api.mail.password.patch({ password })));
      setText("");
      setWrong(undefined);
      say(password === "" ? "The password is taken away." : "The password is stored.");
      onSaved();
    } catch (error) {
      setWrong(failureOf(error).message);
    }
  }

  return (
    <form
      class="setting"
      onSubmit={(event) => {
        event.preventDefault();
        void save(text);
      }}
    >
      <label for="mail-password">
        <b>Password</b>
        <small>Of that user. It is stored sealed, for this mail server alone: another one never gets it.</small>
      </label>
      <span class="row wrap">
        <span class="field width-280">
          <input
            id="mail-password"
            type="password"
            value={text}
            autocomplete="new-password"
            aria-invalid={wrong !== undefined}
            aria-describedby="mail-password-state"
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </span>
        {text !== "" && (
          <button type="submit" class="btn primary">
            Save
          </button>
        )}
        {text === "" && state !== "none" && (
          <button type="button" class="btn ghost" onClick={() => void save("")}>
            Take it away
          </button>
        )}
      </span>
      <small
        id="mail-password-state"
        class={wrong === undefined && state !== "unusable" ? "dim" : "text-err"}
        role={wrong ? "alert" : undefined}
      >
        {wrong ?? states[state]}
      </small>
    </form>
  );
}
