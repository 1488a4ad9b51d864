import { boot } from "../../core/boot.ts";
import { Icon } from "../../parts/icon.tsx";
import { OneTimeSecret } from "../../parts/one-time-secret.tsx";
import { Snippets } from "../../parts/snippets.tsx";
import { signatureSnippets } from "./snippets.ts";
import { whenWords } from "./subscriber.ts";

/** Where the secret is divided for reading: after `whsec_`. */
const parts = [6, 50] as const;

/** Shows the new secret, which the receiver checks signatures with. */
export function SecretReady({
  secret,
  previousUntil = null,
  onClose,
}: {
  secret: string;
  /** After a rotation: the time until which requests are signed with the former secret too. */
  previousUntil?: string | null;
  onClose: () => void;
}) {
  return (
    <OneTimeSecret
      title={
        <>
          <Icon name="key" />
          The secret is ready
        </>
      }
      intro={
        <>
          Copy it to the receiver now: this is the one time it can be shown.
          {previousUntil !== null && <b> Both secrets sign until {whenWords(previousUntil)}.</b>}
        </>
      }
      secret={secret}
      what="secret"
      parts={parts}
      onClose={onClose}
    >
      <Snippets
        label="Check the signature"
        hint="it reads INTAKE_WEBHOOK_SECRET"
        snippets={signatureSnippets(boot.value.publicUrl)}
      />
    </OneTimeSecret>
  );
}
