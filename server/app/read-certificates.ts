import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";

/** The certificates in a file, in PEM. Throws with what is wrong with the file. */
export function readCertificates(path: string): string[] {
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
