import { api, done } from "../../../core/api.ts";
import { say } from "../../../core/say.ts";
import { sensitive } from "../../../core/sensitive.ts";
import { Confirm } from "../../../parts/confirm.tsx";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { Ago } from "../../../parts/time.tsx";
import { TokenReady } from "./ready.tsx";
import { type Token, wasUsedLately } from "./token.ts";
import { useNewToken } from "./use-new-token.tsx";

export function RevokeToken({ token, onClose }: { token: Token; onClose: () => void }) {
  const { id, name, lastUsedAt, lastNetwork } = token;
  return (
    <Confirm
      title={
        <span dir="auto">
          Revoke <i>{name}</i>?
        </span>
      }
      verb="Revoke token"
      typed={wasUsedLately(token) ? name : undefined}
      onConfirm={async () => {
        await sensitive(() => done(api.tokens({ id }).delete()));
        say("Revoked. The next request with it gets 401.");
      }}
      onClose={onClose}
    >
      <p>
        {lastUsedAt === null ? (
          "It was never used."
        ) : (
          <>
            It was used <Ago at={lastUsedAt} words />
            {lastNetwork === null ? "" : ` from ${lastNetwork}`}.
          </>
        )}{" "}
        The next request with it gets 401. This cannot be undone. Cards it made stay.
      </p>
    </Confirm>
  );
}

/** The form for a second token with the same settings, so that its users can change over. */
export function ReplaceToken({ token, onClose }: { token: Token; onClose: () => void }) {
  const { value, create, verb = "Create the replacement", note } = useNewToken();
  if (value !== undefined) return <TokenReady fields={token} value={value} onClose={onClose} />;
  return (
    <FormDialog
      title={<span dir="auto">Replace {token.name}</span>}
      verb={verb}
      onSubmit={() => create(token.name, () => sensitive(() => done(api.tokens({ id: token.id }).replace.post({}))))}
      onClose={onClose}
    >
      <p>A new token with the same name, reach, scopes and limit is made. The old one goes on until you revoke it.</p>
      <p>Idempotency keys belong to a token: a retry sent with the new one creates a new ticket.</p>
      {note}
    </FormDialog>
  );
}
