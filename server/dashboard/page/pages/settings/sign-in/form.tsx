import { useState } from "preact/hooks";
import { providerFields } from "../../../../../providers/provider-fields.ts";
import { api, done } from "../../../core/api.ts";
import { boot } from "../../../core/boot.ts";
import { say } from "../../../core/say.ts";
import { sensitive } from "../../../core/sensitive.ts";
import { CopyButton } from "../../../parts/copy.tsx";
import { Field } from "../../../parts/field.tsx";
import { bodyOf, draftOf, isReady, newDraft } from "../../../parts/field-draft.ts";
import { FieldInputs } from "../../../parts/field-inputs.tsx";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import type { Provider } from "./provider.ts";

/** Adds or changes a provider. Its secret is only ever written. */
export function ProviderForm({ provider, onClose }: { provider?: Provider; onClose: () => void }) {
  const form = provider ? "change" : "new";
  const [draft, setDraft] = useState(provider ? draftOf(providerFields, provider) : newDraft(providerFields));
  const [secret, setSecret] = useState("");
  const needsSecret = !provider && draft.clientAuth !== "none";

  async function submit() {
    const given = secret.trim() === "" || draft.clientAuth === "none" ? {} : { secret };
    if (provider) {
      const { id } = provider;
      const body = bodyOf(providerFields, "change", draft);
      await sensitive(() => done(api.providers({ id }).patch({ ...body, ...given })));
      say("Saved. It holds from the next sign-in on.");
    } else {
      await sensitive(() => done(api.providers.post({ ...bodyOf(providerFields, "new", draft), ...given })));
      say(`${draft.name} is added. Try it before others do.`);
    }
    onClose();
  }

  return (
    <FormDialog
      title={provider ? <span dir="auto">Change {provider.name}</span> : "Add a provider"}
      verb={provider ? "Save" : "Add provider"}
      ready={isReady(providerFields, form, draft) && !(needsSecret && secret.trim() === "")}
      onSubmit={submit}
      onClose={onClose}
    >
      <Redirect id={draft.id} />
      <FieldInputs fields={providerFields} form={form} draft={draft} onDraft={setDraft} />
      {draft.clientAuth !== "none" && (
        <Field
          label={draft.clientAuth === "secret" ? "Client secret" : "Private key (PEM or JWK)"}
          hint={
            provider
              ? "Stored sealed and never shown. Empty: the present one stays."
              : "Stored sealed and never shown again."
          }
        >
          {(tied) => (
            <textarea
              {...tied}
              class="field mono"
              value={secret}
              onInput={(event) => setSecret(event.currentTarget.value)}
              autocomplete="off"
              spellcheck={false}
            />
          )}
        </Field>
      )}
    </FormDialog>
  );
}

/** What the provider has to know of Intake. */
function Redirect({ id }: { id: string }) {
  const address = `${boot.value.publicUrl}/sign-in/callback/${id.trim() || "…"}`;
  return (
    <p>
      Register this redirect address at the provider: <code>{address}</code> <CopyButton text={address} label="Copy" />
    </p>
  );
}
