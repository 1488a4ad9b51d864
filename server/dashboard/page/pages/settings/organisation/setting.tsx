import { useState } from "preact/hooks";
import { api, done } from "../../../core/api.ts";
import { whole } from "../../../core/format.ts";
import { failureOf } from "../../../core/load.ts";
import { say } from "../../../core/say.ts";
import { sensitive } from "../../../core/sensitive.ts";
import { Confirm } from "../../../parts/confirm.tsx";
import { type Setting, written } from "./words.ts";

interface Preview {
  what: "reports" | "deliveries" | null;
  count: number;
  about: boolean;
}

/** Settings that are an address or a name. */
const wide: readonly string[] = ["public_url", "backup_to", "smtp_host", "smtp_user", "mail_from", "mail_name"];

/**
 * One setting: its meaning and bounds, and what a change would delete, before it is saved. `held` is the value that the
 * server's start has fixed.
 */
export function SettingRow({ setting, held }: { setting: Setting; held: string | null }) {
  const { name, title, value, default: usual, bounds, about, unit, choices } = setting;
  const before = written(setting, value);
  const [text, setText] = useState<string>();
  const [wrong, setWrong] = useState<string>();
  const [losing, setLosing] = useState<{ preview: Preview; value: string }>();
  const shown = text ?? before;

  async function store(next: string) {
    await sensitive(() => done(api.settings({ name }).patch({ value: next })));
    setText(undefined);
    say("Saved. It holds from the next request.");
  }

  async function save(next: string) {
    try {
      const preview = await done(api.settings({ name }).preview.post({ value: next }));
      setWrong(undefined);
      if (preview.count > 0) setLosing({ preview, value: next });
      else await store(next);
    } catch (error) {
      setWrong(failureOf(error).message);
    }
  }

  const id = `setting-${name}`;
  return (
    <form
      class="setting"
      onSubmit={(event) => {
        event.preventDefault();
        void save(shown);
      }}
    >
      <label for={id}>
        <b>{title}</b>
        <small>
          {about.slice(0, 1).toUpperCase() + about.slice(1)}.
          {held !== null && ` Now fixed by the server's start: ${held}.`}
        </small>
      </label>
      <span class="row wrap">
        {choices ? (
          <select
            id={id}
            class="field width-120"
            value={shown}
            onChange={(event) => setText(event.currentTarget.value)}
          >
            {choices.map((choice) => (
              <option key={choice}>{choice}</option>
            ))}
          </select>
        ) : (
          <span class={`field ${wide.includes(name) ? "width-280" : "width-120"}`}>
            <input
              id={id}
              value={shown}
              autocomplete="off"
              spellcheck={false}
              placeholder={usual === null ? "none" : written(setting, usual)}
              aria-invalid={wrong !== undefined}
              aria-describedby={`${id}-bounds`}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </span>
        )}
        <span class="dim">{unit !== "bytes" && unit}</span>
        {shown !== before && (
          <button type="submit" class="btn primary">
            Save
          </button>
        )}
        {shown === before && value !== usual && (
          <button type="button" class="btn ghost" onClick={() => void save("")}>
            Back to {usual === null ? "none" : written(setting, usual)}
          </button>
        )}
      </span>
      <small id={`${id}-bounds`} class={wrong === undefined ? "dim" : "text-err"} role={wrong ? "alert" : undefined}>
        {wrong ?? bounds}
      </small>
      {losing && (
        <Confirm
          title={<>Change “{title}”?</>}
          verb="Change and delete"
          onConfirm={() => store(losing.value)}
          onClose={() => setLosing(undefined)}
        >
          <p>
            Deletes {losing.preview.about ? "about " : ""}
            <b>
              {whole(losing.preview.count)} {losing.preview.what}
            </b>{" "}
            within minutes. This cannot be undone.
          </p>
        </Confirm>
      )}
    </form>
  );
}
