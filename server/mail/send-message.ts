import { asciiOf, domainOf } from "../core/mail-address.ts";
import { isThisMachine } from "../core/plain-mail.ts";
import type { FailedMail, MailFaultCode } from "./faults.ts";
import type { MailServer, Password } from "./mail-server.ts";
import { bytesOf, type Message } from "./message.ts";
import { oneLine } from "./one-line.ts";

const detailMax = 300;
const unusable = { none: "password_missing", unusable: "password_unusable" } as const;

/** The way of a mail, in order. A failure is one of the step that was next. */
type SendStep = "connected" | "signed in" | "accepted";

export interface SendTools {
  password: Password;
  /** Certificates that are trusted beside the usual ones, PEM. */
  ca: readonly string[];
  /** Aborts when the process stops. */
  signal?: AbortSignal | undefined;
  timing?: SendTiming | undefined;
  reached?: (step: SendStep) => void;
}

/** Milliseconds. */
export interface SendTiming {
  /** For the name, the connection, TLS and the greeting, each. */
  connect: number;
  /** For each answer of the server. */
  answer: number;
  /** For all of it: whatever the server does, a mail takes no longer. */
  total: number;
}

const usualTiming: SendTiming = { connect: 10_000, answer: 30_000, total: 60_000 };

/**
 * Sends one mail over a connection of its own. Resolves with the fault, or undefined once the server has accepted it.
 * Without a message it only connects and signs in.
 */
export async function sendMessage(
  server: MailServer,
  message: Message | undefined,
  { password, ca, signal, timing = usualTiming, reached = () => {} }: SendTools,
): Promise<FailedMail | undefined> {
  const { host, port, security, user } = server;
  if (security === "none" && !isThisMachine(host)) return { fault: "plain_refused", detail: null };
  if (user !== null && password.state !== "set") return { fault: unusable[password.state], detail: null };
  const bytes = message && (await bytesOf(message));
  const { default: SMTPConnection } = await import("nodemailer/lib/smtp-connection");
  const connection = new SMTPConnection({
    host,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none" || security === "none-anywhere",
    name: asciiOf(domainOf(server.from)),
    dnsTimeout: timing.connect,
    connectionTimeout: timing.connect,
    greetingTimeout: timing.connect,
    socketTimeout: timing.answer,
    socketCloseTimeout: 0,
    maxResponseSize: 65_536,
    allowInternalNetworkInterfaces: true,
    tls: { minVersion: "TLSv1.2", rejectUnauthorized: true, ...(await trustedBeside(ca)) },
  });
  let step: "connect" | "sign in" | "send" = "connect";
  const failure = Promise.withResolvers<never>();
  // Errors of the connection come as events at any time, and what waits for an answer may then wait for ever.
  connection.on("error", failure.reject);
  failure.promise.catch(() => {});
  const cutting = setTimeout(() => failure.reject(codedError("ETIMEDOUT")), timing.total);
  const stop = () => failure.reject(codedError("ESTOPPED"));
  signal?.addEventListener("abort", stop, { once: true });
  const answered = <T>(begin: (done: (error?: Error | null, value?: T) => void) => void) =>
    Promise.race([
      failure.promise,
      new Promise<T | undefined>((resolve, reject) => {
        begin((error, value) => (error ? reject(error) : resolve(value)));
      }),
    ]);
  try {
    if (signal?.aborted) stop();
    await answered((done) => connection.connect(done));
    reached("connected");
    if (user !== null) {
      step = "sign in";
      if (!connection.allowsAuth) return { fault: "sign_in_missing", detail: null };
      await answered((done) => connection.login({ user, pass: password.text }, done));
      reached("signed in");
    }
    if (message === undefined || bytes === undefined) return undefined;
    step = "send";
    const [from, to] = [withAsciiDomain(message.from), withAsciiDomain(message.to)];
    if (!isAscii(from + to) && !takesUnicode(connection)) return { fault: "unicode_address", detail: null };
    const envelope = { from, to: [to], size: bytes.length };
    await answered((done) => connection.send(envelope, bytes, done));
    reached("accepted");
    return undefined;
  } catch (error) {
    return failedBy(error as SmtpError, step, security, password.text);
  } finally {
    clearTimeout(cutting);
    signal?.removeEventListener("abort", stop);
    // The mail is accepted, or the connection is of no more use: nobody waits for its end.
    connection.close();
  }
}

interface SmtpError extends Error {
  code?: string;
  originalCode?: string;
  /** The number that an answer of the server begins with. */
  responseCode?: number;
  response?: string;
  command?: string;
}

function failedBy(
  error: SmtpError,
  step: "connect" | "sign in" | "send",
  security: MailServer["security"],
  password: string | undefined,
): FailedMail {
  const fault = faultOf(error, step, security);
  const said =
    error.response ??
    (fault === "not_smtp" || fault === "tls_failed" || fault === "certificate" ? error.message : undefined);
  return { fault, detail: said === undefined ? null : withoutPassword(oneLine(said, detailMax), password) };
}

function faultOf(error: SmtpError, step: string, security: MailServer["security"]): MailFaultCode {
  const { code, originalCode = "", responseCode, command = "", message } = error;
  const status = responseCode ?? 0;
  if (code === "EDNS") return "host_unknown";
  if (code === "ESTOPPED") return "abandoned";
  if (code === "EAUTH") return status >= 400 && status < 500 ? "server_busy" : "sign_in_refused";
  if (code === "ETLS" && command === "STARTTLS" && status > 0) return "starttls_missing";
  if (certificateCodes.test(originalCode) || certificateCodes.test(message) || /certificate|altnames/i.test(message))
    return "certificate";
  if (status >= 400 && status < 500) return step === "send" ? "busy" : "server_busy";
  if (step === "send") {
    if (command.startsWith("MAIL FROM") && status >= 500) return "sender_refused";
    if (command.startsWith("RCPT TO") && status >= 500) return "recipient_refused";
    if (status >= 500 || code === "EMESSAGE" || code === "EENVELOPE") return "refused";
    return code === "ETIMEDOUT" ? "timeout" : "cut";
  }
  if (code === "ETIMEDOUT" || originalCode === "ETIMEDOUT") return "timeout";
  if (code === "ETLS" || /^ERR_(SSL|TLS)|^EPROTO$/.test(originalCode)) return "tls_failed";
  if (/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES|EPERM)$/.test(originalCode)) return "unreachable";
  if (status >= 500 || code === "EPROTOCOL") return "not_smtp";
  return security === "tls" && step === "connect" ? "tls_failed" : "closed";
}

const certificateCodes =
  /CERT_|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|ALTNAME_INVALID|DEPTH_ZERO|HOSTNAME_MISMATCH/;

/** A server may repeat what it was told. */
function withoutPassword(text: string, password: string | undefined): string {
  if (!password) return text;
  const forms = [password, Buffer.from(password).toString("base64")];
  let hidden = text;
  for (const form of forms) hidden = hidden.replaceAll(form, "[hidden]");
  // AUTH PLAIN sends the user and the password as one word of base64.
  return hidden.replace(/[A-Za-z0-9+/]{24,}={0,2}/g, (word) =>
    Buffer.from(word, "base64").toString("utf8").includes(password) ? "[hidden]" : word,
  );
}

/** Letters beyond ASCII in the domain need nothing of the mail server, unlike those before the @. */
function withAsciiDomain(address: string): string {
  const domain = domainOf(address);
  return address.slice(0, -domain.length) + asciiOf(domain);
}

function takesUnicode(connection: object): boolean {
  const { _supportedExtensions: extensions } = connection as { _supportedExtensions?: string[] };
  return extensions?.includes("SMTPUTF8") === true;
}

function isAscii(text: string): boolean {
  return /^[\x21-\x7e]*$/.test(text);
}

function codedError(code: string): SmtpError {
  return Object.assign(new Error(code), { code });
}

async function trustedBeside(ca: readonly string[]): Promise<{ ca?: string[] }> {
  if (ca.length === 0) return {};
  const { getCACertificates } = await import("node:tls");
  return { ca: [...getCACertificates(), ...ca] };
}
