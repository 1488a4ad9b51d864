import { requireMailAddress } from "../core/mail-address.ts";
import { listMails, mailColumns } from "../mail/list-mails.ts";
import { setMailPassword } from "../mail/set-mail-password.ts";
import { testMail } from "../mail/test-mail.ts";
import { command } from "./command.ts";
import { endAfterOutput } from "./end-after-output.ts";
import { flag, pageOptions, UsageError } from "./options.ts";
import { mailCaOption } from "./trusted-certificates.ts";
import { withSealing, withStore } from "./with-store.ts";

export const mailCommands = [
  command({
    name: "mail test",
    words: ["[TO]"],
    summary: "send a test mail now, to the sender's own address unless one is given; exit 1 when it is not accepted",
    options: { "mail-ca": mailCaOption },
    example: "intake mail test ada@example.org",
    notes:
      "Says each step that worked, and of the one that did not why, and what to do. `intake settings set` takes smtp_host, smtp_port, smtp_security, smtp_user, mail_from and mail_name.",
    async run({ options, words: [word], io }) {
      const to = word === undefined ? undefined : addressOf(word);
      const tested = await withSealing(options.data, (ctx, { sealing }) =>
        testMail({ ctx, tools: { sealing, ca: options["mail-ca"] ?? [] }, input: { to } }),
      );
      const { steps, problem } = tested;
      const lines = [...steps.map((step) => `ok    ${step}`), ...(problem === null ? [] : [`FAIL  ${problem}`])];
      io.result(tested, lines.join("\n"));
      return endAfterOutput(tested.accepted ? 0 : 1);
    },
  }),
  command({
    name: "mail password",
    summary: "store the password for the mail server, sealed; it is read from stdin",
    options: { remove: flag("take the stored password away") },
    example: "intake mail password < /run/secrets/smtp-password",
    notes:
      "One line is read. The password is stored for the mail server that is set: with another smtp_host it has to be given again. Nothing shows it.",
    async run({ options, io }) {
      const password = options.remove ? "" : await passwordFromStdin();
      io.result(await withSealing(options.data, (ctx, tools) => setMailPassword({ ctx, tools, input: { password } })));
    },
  }),
  command({
    name: "mail list",
    summary: "list the mails that wait and those of the last 30 days, newest first",
    options: pageOptions,
    example: "intake mail list",
    async run({ options, io }) {
      io.page(await withStore(options.data, (ctx) => listMails({ ctx, input: options })), mailColumns);
    },
  }),
];

function addressOf(word: string): string {
  try {
    return requireMailAddress(word);
  } catch {
    throw new UsageError("TO must be one e-mail address, such as ada@example.org");
  }
}

const stdinMax = 4_096;

async function passwordFromStdin(): Promise<string> {
  if (process.stdin.isTTY) {
    throw new UsageError("the password is read from stdin, so that it is not shown: intake mail password < FILE");
  }
  let text = "";
  for await (const chunk of process.stdin) {
    text += chunk;
    if (text.length > stdinMax) throw new UsageError("stdin holds more than a password");
  }
  const password = text.replace(/\r?\n$/, "");
  if (password === "") throw new UsageError("stdin holds no password; --remove takes the stored one away");
  return password;
}
