import { useState } from "preact/hooks";
import { api, done } from "../../../core/api.ts";
import { boot } from "../../../core/boot.ts";
import { failureOf } from "../../../core/load.ts";
import { say } from "../../../core/say.ts";
import { Field } from "../../../parts/field.tsx";

export function NameForm({ name }: { name: string }) {
  const [text, setText] = useState(name);
  const [wrong, setWrong] = useState<string>();

  async function save(event: SubmitEvent) {
    event.preventDefault();
    try {
      await done(api.organisation.patch({ name: text }));
      setWrong(undefined);
      boot.value = { ...boot.value, organisation: text };
      say("The organisation is renamed.");
    } catch (error) {
      setWrong(failureOf(error).message);
    }
  }

  return (
    <form class="row wrap end-aligned" onSubmit={save}>
      <Field label="Name" wrong={wrong}>
        {(tied) => (
          <span class="field width-280">
            <input {...tied} dir="auto" value={text} onInput={(event) => setText(event.currentTarget.value)} />
          </span>
        )}
      </Field>
      <button type="submit" class="btn" disabled={text === name || text.trim() === ""}>
        Rename
      </button>
    </form>
  );
}
