import { readCertificates } from "../app/read-certificates.ts";
import { parsed } from "./options.ts";

/** The flag of the server, which delivers, and of the command that tests a subscriber. */
export const webhookCaOption = parsed(
  "F",
  "file of certificates (PEM) that webhooks trust in addition to the usual ones",
  readCertificates,
  { env: "INTAKE_WEBHOOK_CA" },
);

/** The flag of the server, which sends mails, and of the command that sends a test mail. */
export const mailCaOption = parsed(
  "F",
  "file of certificates (PEM) that mail servers may have in addition to the usual ones",
  readCertificates,
  { env: "INTAKE_MAIL_CA" },
);

/** The flag of the server, at which people sign in, and of the command that tests a provider. */
export const providerCaOption = parsed(
  "F",
  "file of certificates (PEM) that identity providers may have in addition to the usual ones",
  readCertificates,
  { env: "INTAKE_PROVIDER_CA" },
);
