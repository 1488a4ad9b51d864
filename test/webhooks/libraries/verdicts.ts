import { libraries } from "./install.ts";

/** A request of ours, and the secret that its receiver knows. */
export interface Message {
  secret: string;
  headers: Record<string, string>;
  body: Uint8Array;
}

interface Verdict {
  accepted: boolean;
  /** As the library itself signs it. */
  signature: string;
}

/** What a library thinks of each message. */
export async function verdicts(library: keyof typeof libraries, messages: readonly Message[]): Promise<Verdict[]> {
  const told = messages.map(({ body, ...rest }) => ({ ...rest, body: Buffer.from(body).toString("base64") }));
  const child = Bun.spawn(libraries[library], { stdin: Buffer.from(JSON.stringify(told)), stderr: "inherit" });
  const [text, code] = await Promise.all([child.stdout.text(), child.exited]);
  if (code !== 0) throw new Error(`the library from ${library} ended with ${code}`);
  return JSON.parse(text) as Verdict[];
}
