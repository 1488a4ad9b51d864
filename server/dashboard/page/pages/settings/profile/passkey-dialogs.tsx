import { useState } from "preact/hooks";
import { api, done } from "../../../core/api.ts";
import { makePasskey } from "../../../core/passkeys.ts";
import { sensitive } from "../../../core/sensitive.ts";
import { Confirm } from "../../../parts/confirm.tsx";
import { Field } from "../../../parts/field.tsx";
import { FormDialog } from "../../../parts/form-dialog.tsx";

/** Asks for a name and lets the browser make a passkey. `onDone` receives recovery codes with the first factor. */
export function NewPasskey({ onDone, onClose }: { onDone: (codes: string[] | null) => void; onClose: () => void }) {
  const [name, setName] = useState("");
  async function add() {
    const options = await sensitive(() => done(api.me.passkeys.challenge.post({})));
    const made = await makePasskey(options);
    onDone((await done(api.me.passkeys.post({ name, made }))).recoveryCodes);
  }
  return (
    <FormDialog
      title="Add a passkey"
      intro="The browser then asks where to keep it: this device, a phone, or a security key."
      verb="Continue"
      ready={name.trim() !== ""}
      onSubmit={add}
      onClose={onClose}
    >
      <NameField name={name} onInput={setName} />
    </FormDialog>
  );
}

export function RenamePasskey({ passkey, onClose }: { passkey: { id: string; name: string }; onClose: () => void }) {
  const [name, setName] = useState(passkey.name);
  async function rename() {
    await sensitive(() => done(api.me.passkeys({ id: passkey.id }).patch({ name })));
    onClose();
  }
  return (
    <FormDialog
      title="Rename the passkey"
      verb="Rename"
      ready={name.trim() !== "" && name !== passkey.name}
      onSubmit={rename}
      onClose={onClose}
    >
      <NameField name={name} onInput={setName} />
    </FormDialog>
  );
}

/** Asks before a passkey is removed, or the authenticator app, which has no id. */
export function RemoveFactor({
  factor: { id, name },
  onDone,
  onClose,
}: {
  factor: { id?: string; name: string };
  onDone: () => void;
  onClose: () => void;
}) {
  async function remove() {
    await sensitive(() => (id === undefined ? done(api.me.app.delete()) : done(api.me.passkeys({ id }).delete())));
    onDone();
  }
  return (
    <Confirm title={<span dir="auto">Remove {name}?</span>} verb="Remove" onConfirm={remove} onClose={onClose}>
      <p>It signs you in no more. {id !== undefined && "Remove it from your device or password manager too."}</p>
    </Confirm>
  );
}

function NameField({ name, onInput }: { name: string; onInput: (name: string) => void }) {
  return (
    <Field label="Name" hint="By which you tell it from others: Laptop, Phone, Key on my ring.">
      {(tied) => (
        <span class="field">
          <input
            {...tied}
            data-focus
            value={name}
            onInput={(event) => onInput(event.currentTarget.value)}
            autocomplete="off"
            maxLength={80}
            required
          />
        </span>
      )}
    </Field>
  );
}
