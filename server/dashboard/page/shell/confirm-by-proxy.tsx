import { api, done } from "../core/api.ts";
import { failureOf, useLoad } from "../core/load.ts";

/** A button for those who have no password, passkey or provider here: the access proxy says who they are. */
export function ConfirmByProxy({ given, onFailed }: { given: () => void; onFailed: (message: string) => void }) {
  const self = useLoad("me", () => done(api.me.get()));
  if (!self.data?.confirmsByProxy) return null;

  async function confirm() {
    try {
      await done(api.session.proxy.confirm.post({}));
      given();
    } catch (error) {
      onFailed(failureOf(error).message);
    }
  }

  return (
    <button type="button" class="btn wide" onClick={confirm}>
      It is me: go on without a password
    </button>
  );
}
