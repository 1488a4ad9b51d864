import { readSealing } from "../../core/open-sealing.ts";
import type { Reader } from "../../core/store.ts";
import { faultWords } from "../../mail/faults.ts";
import { passwordOf, readMailServer } from "../../mail/mail-server.ts";
import { sendMessage } from "../../mail/send-message.ts";
import { readCertificates } from "../read-certificates.ts";
import { bad, counted, good } from "./finding.ts";

const timing = { connect: 5_000, answer: 5_000, total: 15_000 };
const recentMilliseconds = 7 * 86_400_000;
/** A mail that waits for so long is worth a look. */
const lateMilliseconds = 3_600_000;

/** Connects to the mail server and signs in, as the server does for a mail; sends none. */
export async function mailServer(reader: Reader, keyPath: string, sealedWith: string | undefined) {
  const server = await readMailServer(reader);
  if (!server) return good("none is set: nothing is mailed");
  const path = process.env["INTAKE_MAIL_CA"];
  const failed = await sendMessage(server, undefined, {
    password: passwordOf(server, readSealing(keyPath, sealedWith)),
    ca: path ? readCertificates(path) : [],
    timing,
  });
  if (!failed) return good(`${server.host} takes mails`);
  return bad("mail_unreachable", `no mail can be sent: ${faultWords(failed)}`, "try again with: intake mail test");
}

export async function failedMails(reader: Reader, now: number) {
  const row = await reader.one<{ failed: number; late: number }>(
    `select cast(count(case when state = 'failed' then 1 end) as integer) as failed,
       cast(count(case when state = 'waiting' then 1 end) as integer) as late
     from mail where (state = 'failed' and ended_at >= $1) or (state = 'waiting' and fault is not null and created_at <= $2)`,
    [now - recentMilliseconds, now - lateMilliseconds],
  );
  const { failed = 0, late = 0 } = row ?? {};
  if (failed + late === 0) return good("none was given up in the last 7 days, and none is late");
  const what = [
    failed > 0 ? `${counted(failed, "mail was", "mails were")} given up in the last 7 days` : "",
    late > 0 ? `${counted(late, "mail has", "mails have")} waited for more than an hour` : "",
  ];
  return bad("mails_failed", what.filter(Boolean).join(", and "));
}
