import { plainRefused } from "../core/plain-mail.ts";

interface MailFault {
  /** What happened, as a sentence without its full stop. */
  words: string;
  /** What to do about it, as the end of a sentence. */
  remedy: string;
  /** Whether the mail is tried again. */
  again: boolean;
  /** Where the fault is: all mails fail alike for one of the server, so that none is tried for a while. */
  of: "server" | "mail";
}

/** Every reason for which a mail is not accepted. Their names are stored and stand in metrics. */
export const mailFaults = {
  host_unknown: server("the name of the mail server is not known", "check smtp_host, and DNS on this machine"),
  unreachable: server("nothing listens there, or the way is closed", "check smtp_host, smtp_port and firewalls"),
  timeout: server("the mail server did not answer in time", "check smtp_port, smtp_security and firewalls"),
  not_smtp: server(
    "what answers there does not speak SMTP as expected",
    "check smtp_port, and smtp_security: port 465 wants tls, port 587 starttls",
  ),
  starttls_missing: server(
    "the mail server offers no encryption (STARTTLS)",
    "use its port for TLS with smtp_security tls; or, if everybody on the way may read mails, none-anywhere",
  ),
  tls_failed: server("no encrypted connection came about", "check smtp_security and what TLS the mail server speaks"),
  certificate: server(
    "the certificate of the mail server is not valid for this name, or nobody known has signed it",
    "use the name that the certificate is for, or add its authority with --mail-ca (INTAKE_MAIL_CA)",
  ),
  plain_refused: server(plainRefused.words, plainRefused.remedy),
  password_missing: server("smtp_user is set, and no password", "run: intake mail password"),
  password_unusable: server(
    "the stored password is for another mail server, or was sealed with another secret.key",
    "run: intake mail password",
  ),
  sign_in_missing: server("the mail server takes no sign-in", 'take smtp_user away: intake settings set smtp_user ""'),
  sign_in_refused: server(
    "the mail server refused the user or the password",
    "check smtp_user and run: intake mail password. Many providers want a password for apps",
  ),
  sender_refused: server("the mail server refused the sender's address", "set mail_from to an address that it knows"),
  closed: server("the mail server closed the connection before it took a mail", "look at its log"),
  server_busy: server("the mail server asked to come back later", "wait: mails are tried again"),
  busy: later("the mail server asked to try later", "wait: it is tried again"),
  cut: later("the connection was cut before the mail server had accepted the mail", "wait: it is tried again"),
  abandoned: later("the process ended while it sent the mail", "wait: it is tried again"),
  unicode_address: final(
    "the mail server takes no addresses with letters beyond ASCII (SMTPUTF8)",
    "give the member another address, or use a mail server that does",
  ),
  recipient_refused: final("the mail server refused the address", "check the address of the member"),
  refused: final("the mail server refused the mail", "look at what it said"),
  body_unreadable: final("the mail was sealed with another secret.key", "cause it again"),
} as const satisfies Record<string, MailFault>;

export type MailFaultCode = keyof typeof mailFaults;

/** A fault with what the mail server said of it. */
export interface FailedMail {
  fault: MailFaultCode;
  detail: string | null;
}

/** `the mail server refused the mail (550 no such user); look at what it said` */
export function faultWords({ fault, detail }: { fault: string; detail: string | null }): string {
  const known = (mailFaults as Record<string, MailFault | undefined>)[fault];
  const said = detail === null ? "" : ` (${detail})`;
  return known === undefined ? `${fault}${said}` : `${known.words}${said}; ${known.remedy}`;
}

function server(words: string, remedy: string): MailFault {
  return { words, remedy, again: true, of: "server" };
}

function later(words: string, remedy: string): MailFault {
  return { words, remedy, again: true, of: "mail" };
}

function final(words: string, remedy: string): MailFault {
  return { words, remedy, again: false, of: "mail" };
}
