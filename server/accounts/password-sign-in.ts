import { Refusal } from "../core/context.ts";
import type { Reader } from "../core/store.ts";

/**
 * Whether people may sign in with passwords. The setting `password_sign_in` switches them off only while an enabled
 * provider is there that an admin is linked to: otherwise nobody could manage the organisation from its pages.
 */
export async function passwordsCount(store: Reader): Promise<boolean> {
  const off = await store.one(
    `select p.id from provider p join identity i on i.issuer = p.issuer join member m on m.id = i.member_id
     where p.state = 'enabled' and m.role = 'admin' and m.removed_at is null
       and exists (select 1 from setting where name = 'password_sign_in' and value = 'off') limit 1`,
  );
  return off === undefined;
}

/** Throws `permission_denied` while people sign in with providers only. */
export async function requirePasswordsCount(store: Reader): Promise<void> {
  if (await passwordsCount(store)) return;
  throw new Refusal("permission_denied", "People sign in with a provider here, not with a password.");
}
