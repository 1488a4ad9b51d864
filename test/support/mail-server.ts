import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { Certificate } from "./certificates.ts";

/** A mail that a server has accepted. */
interface AcceptedMail {
  from: string;
  to: string[];
  user: string | undefined;
  secure: boolean;
  /** The message as it came. */
  source: string;
}

export interface TestMailServer {
  port: number;
  accepted: AcceptedMail[];
  /** Resolves once so many mails have been accepted in all. */
  has(count: number): Promise<AcceptedMail[]>;
  stop(): Promise<void>;
}

/** A real SMTP server on 127.0.0.1. With a certificate it offers STARTTLS. `password`: of every user. */
export async function startMailServer({
  certificate,
  password,
  ...options
}: SMTPServerOptions & { certificate?: Certificate; password?: string } = {}): Promise<TestMailServer> {
  const accepted: AcceptedMail[] = [];
  let waiting: (() => void)[] = [];
  const server = new SMTPServer({
    logger: false,
    ...certificate,
    ...(certificate ? {} : { hideSTARTTLS: true, disabledCommands: ["STARTTLS", ...(password ? [] : ["AUTH"])] }),
    authOptional: password === undefined,
    allowInsecureAuth: true,
    onAuth(auth, _session, done) {
      if (auth.password === password) done(null, { user: auth.username });
      else done(new Error(`wrong password ${auth.password}`));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        accepted.push({
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map(({ address }) => address),
          user: session.user as string | undefined,
          secure: session.secure,
          source: Buffer.concat(chunks).toString("utf8"),
        });
        done();
        for (const look of waiting) look();
      });
    },
    ...options,
  });
  // Clients that hang up are part of the tests.
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    accepted,
    has: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (accepted.length < count) return;
          waiting = waiting.filter((one) => one !== look);
          resolve(accepted);
        };
        waiting.push(look);
        look();
      }),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The text of a mail, decoded. */
export function textOfMail(source: string): string {
  const part = /Content-Type: text\/plain[^\r\n]*\r\nContent-Transfer-Encoding: ([\w-]+)\r\n\r\n([\s\S]*?)\r\n--/.exec(
    source,
  );
  const [, encoding = "", body = ""] = part ?? [];
  if (encoding === "base64") return Buffer.from(body, "base64").toString("utf8");
  if (encoding !== "quoted-printable") return body;
  const bytes = body
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
