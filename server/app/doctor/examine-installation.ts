import { existsSync, statSync } from "node:fs";
import { readClockMark, readNewestTime } from "../../core/clock-mark.ts";
import { clockAdvice, clockWords, judgeClock, machineTime } from "../../core/judge-clock.ts";
import { readSealing } from "../../core/open-sealing.ts";
import { selectPublicUrl, settings } from "../../core/settings.ts";
import type { Reader } from "../../core/store.ts";
import type { Holder } from "../lock.ts";
import { bad, type Finding, good, look } from "./finding.ts";
import { failedMails, mailServer } from "./mail.ts";
import { providerSecrets } from "./providers.ts";
import { examinePublicUrl } from "./public-url.ts";
import { settingOf } from "./setting-of.ts";
import { deadDeliveries, disabledSubscribers, failingSubscribers } from "./subscribers.ts";

interface Installation {
  reader: Reader;
  /** Of `secret.key`. */
  keyPath: string;
  /** The server that runs on the folder. */
  holder: Holder | undefined;
  /** Epoch milliseconds. */
  now: number;
}

/**
 * What is stored is examined alike on SQLite and PostgreSQL. A check that needs no more than a reader has its
 * place in this list, and its codes in `finding-codes.ts`.
 */
export async function examineInstallation({ reader, keyPath, holder, now }: Installation): Promise<Finding[]> {
  return [
    await look("clock", () => clock(reader)),
    await look("secret key", () => secretKey(keyPath, reader), "secret_key_unusable"),
    await look("subscribers: disabled", () => disabledSubscribers(reader)),
    await look("subscribers: failing", () => failingSubscribers(reader)),
    await look("deliveries", () => deadDeliveries(reader, now)),
    await look("mail server", () => mailServerOf(reader, keyPath, holder)),
    await look("mails", () => failedMails(reader, now)),
    await look("identity providers", () => providerSecrets(reader)),
    ...(await publicAddress(reader, keyPath, holder)),
  ];
}

/** Whether a server would trust the machine's clock and delete by age. */
async function clock(reader: Reader) {
  const gapDays = await settingOf(reader, "clock_gap_days", settings.clock_gap_days.default);
  const judgement = judgeClock(machineTime(), {
    mark: await readClockMark(reader),
    newestRow: await readNewestTime(reader),
    gap: gapDays * 86_400_000,
  });
  if (judgement.trusted) return good("it agrees with the data");
  return bad("clock_doubtful", clockWords(judgement), clockAdvice);
}

async function secretKey(path: string, reader: Reader) {
  const sealed = await sealedWith(reader);
  if (!sealed && !existsSync(path)) return good("nothing is sealed yet");
  readSealing(path, sealed);
  const mode = statSync(path).mode & 0o777;
  if ((mode & 0o077) === 0) return good("it is the one that secrets of subscribers are sealed with; back it up");
  return bad("secret_key_mode", `others can read it (mode ${mode.toString(8)})`, `run: chmod 600 ${path}`);
}

async function sealedWith(reader: Reader): Promise<string | undefined> {
  return (await reader.one<{ fingerprint: string }>("select fingerprint from sealing limit 1"))?.fingerprint;
}

/** As the public address, the mail server is asked while a server runs only. */
async function mailServerOf(reader: Reader, keyPath: string, holder: Holder | undefined) {
  if (holder?.url === undefined) return good("not asked: no server runs on this data directory");
  return mailServer(reader, keyPath, await sealedWith(reader));
}

/** The public address is asked while a server runs only: doctor of a copy of the data does not go to the network. */
async function publicAddress(reader: Reader, keyPath: string, holder: Holder | undefined): Promise<Finding[]> {
  const check = "public address";
  if (holder?.url === undefined) return [{ check, ...good("not asked: no server runs on this data directory") }];
  const stored = (await reader.one<{ value: string }>(selectPublicUrl))?.value;
  const address = holder.publicUrl ?? stored;
  if (address === undefined)
    return [{ check, ...good("none is set; people reach it under the address of the server") }];
  try {
    return await examinePublicUrl(address, readSealing(keyPath, await sealedWith(reader)));
  } catch {
    // The check of the secret key says why.
    return [{ check, ...good("not asked: secret.key cannot be used") }];
  }
}
