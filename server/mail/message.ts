import { asciiOf, domainOf } from "../core/mail-address.ts";
import type { MailContent } from "./content.ts";
import { htmlOf } from "./html.ts";

export interface Message {
  id: string;
  from: string;
  /** The name beside the address of the sender. */
  name: string;
  to: string;
  subject: string;
  /** Epoch milliseconds. */
  createdAt: number;
  content: MailContent;
}

/** A mail as it is sent: headers, text, and the same as simple HTML. */
export async function bytesOf({ id, from, name, to, subject, createdAt, content }: Message): Promise<Buffer> {
  // Loaded with the first mail: without a mail server nobody pays for it.
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer");
  return new MailComposer({
    // A repeat has the same id, by which many mail servers and programs recognise it.
    messageId: `<${id}@${asciiOf(domainOf(from))}>`,
    date: new Date(createdAt),
    from: { name, address: from },
    to: { name: "", address: to },
    subject,
    text: textOf(content),
    html: htmlOf(subject, content),
    // RFC 3834: no programs answer it.
    headers: { "Auto-Submitted": "auto-generated" },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
}

function textOf({ text, link, foot }: MailContent): string {
  return [text, link === undefined ? "" : `${link.label}:\n${link.url}`, foot === undefined ? "" : `-- \n${foot}`]
    .filter(Boolean)
    .join("\n\n")
    .concat("\n");
}
