import { type NewFields, withDefaults } from "../../../../../core/fields.ts";
import { type TokenFields, tokenFields } from "../../../../../credentials/token-fields.ts";
import { boot } from "../../../core/boot.ts";
import { FieldFacts } from "../../../parts/field-facts.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { OneTimeSecret } from "../../../parts/one-time-secret.tsx";
import { Snippets } from "../../../parts/snippets.tsx";
import { ticketSnippets } from "./snippets.ts";

/** Where the value is divided for reading: after its prefix and before its checksum. */
const parts = [4, -6] as const;

export function TokenReady({
  fields,
  value,
  onClose,
}: {
  fields: NewFields<TokenFields>;
  /** The value of the token. */
  value: string;
  onClose: () => void;
}) {
  const shown = withDefaults(tokenFields, fields);
  const { name, reach } = shown;
  const all = reach === "all";
  // A token that reaches only one project need not name it.
  const named = all ? boot.value.projects[0]?.id : reach.length > 1 ? reach[0] : undefined;
  return (
    <OneTimeSecret
      title={
        <>
          <Icon name="ticket" />
          <span dir="auto">{name} is ready</span>
        </>
      }
      intro="Copy the token now. Intake keeps only its hash, so this is the one time it can be shown. If it is lost, revoke it and create another."
      secret={value}
      what="token"
      parts={parts}
      onClose={onClose}
    >
      <dl class="facts">
        <FieldFacts fields={tokenFields} shown={shown} words={all ? { reach: "All projects" } : {}} />
      </dl>
      <Snippets
        label="Try it"
        hint="it reads INTAKE_TOKEN, not the value"
        snippets={ticketSnippets(boot.value.publicUrl, named)}
      />
    </OneTimeSecret>
  );
}
