import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { parsed } from "./options.ts";

/** The flag of the server, which delivers, and of the command that tests a subscriber. */
export const webhookCaOption = parsed(
  "F",
  "file of certificates (PEM) that webhooks trust in addition to the usual ones",
  readCertificates,
  { env: "INTAKE_WEBHOOK_CA" },
);

function readCertificates(path: string): string[] {
  const text = read(path);
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    for (const certificate of certificates) new X509Certificate(certificate);
  } catch {
    throw new Error("the file holds a certificate that cannot be read");
  }
  if (certificates.length === 0) throw new Error("the file holds no certificate in PEM");
  return certificates;
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`cannot read the file (${(error as { code?: string }).code})`);
  }
}
