import type { Sealing } from "../core/sealing.ts";
import { readSettings, type SettingValues } from "../core/settings.ts";
import type { Reader, Step, Tx } from "../core/store.ts";

/** How mails are sent, as the settings say. */
export interface MailServer {
  host: string;
  port: number;
  security: SettingValues["smtp_security"];
  user: string | null;
  /** Sealed; null when none is stored. */
  password: Uint8Array | null;
  from: string;
  name: string;
}

/** What the password is sealed for: another host never gets it. */
export const passwordAbout = (host: string) => `smtp password for ${host}`;

/** Undefined when no mails are sent: the server or the sender's address is not set. */
export async function readMailServer(store: Reader): Promise<MailServer | undefined> {
  const { smtp_host: host, mail_from: from, ...set } = await readSettings(store);
  if (host === null || from === null) return undefined;
  const password = await store.one<{ sealed: Uint8Array }>("select sealed from smtp_password");
  return {
    host,
    port: set.smtp_port,
    security: set.smtp_security,
    user: set.smtp_user,
    password: password?.sealed ?? null,
    from,
    name: set.mail_name ?? "Intake",
  };
}

const selectSet = "select cast(count(*) as integer) as set_names from setting where name in ('smtp_host', 'mail_from')";

export function* mailIsSetStep(tx: Tx): Step<boolean> {
  return (yield* tx.one<{ set_names: number }>(selectSet))?.set_names === 2;
}

export type Password = { state: "set"; text: string } | { state: "none" | "unusable"; text?: undefined };

export async function mailIsSet(store: Reader): Promise<boolean> {
  return (await store.one<{ set_names: number }>(selectSet))?.set_names === 2;
}

/** `unusable`: stored for another mail server, or sealed with another key. */
export function passwordOf({ host, password }: MailServer, sealing: Sealing): Password {
  if (password === null) return { state: "none" };
  try {
    return { state: "set", text: sealing.open(password, passwordAbout(host)) };
  } catch {
    return { state: "unusable" };
  }
}
