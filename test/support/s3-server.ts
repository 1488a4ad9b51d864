import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installed, installS3Server } from "../s3-server/install.ts";
import type { Certificate } from "./certificates.ts";
import { freePort, isListening } from "./unprivileged.ts";
import { until } from "./until.ts";

/** The key of the server's only account. */
export const s3Environment = { AWS_ACCESS_KEY_ID: "intake-test", AWS_SECRET_ACCESS_KEY: "a secret/with+signs" };

/** The region that the server says it is in. */
export const s3Region = "us-east-1";

/** A real S3 server on loopback, with its buckets in a scratch folder. It needs no privilege. */
export class S3Server {
  readonly #folder: string;
  readonly #process: Bun.Subprocess;
  readonly #buckets: string;
  readonly endpoint: string;
  #count = 0;

  static async start(certificate?: Certificate): Promise<S3Server> {
    installS3Server();
    const folder = mkdtempSync(join(tmpdir(), "intake-s3-"));
    const [buckets, metadata] = [join(folder, "buckets"), join(folder, "metadata")];
    for (const made of [buckets, metadata]) mkdirSync(made);
    const files = certificate ? [join(folder, "cert.pem"), join(folder, "key.pem")] : [];
    if (certificate) {
      writeFileSync(files[0] as string, certificate.cert);
      writeFileSync(files[1] as string, certificate.key);
    }
    for (let left = 3; ; left--) {
      const port = await freePort();
      const address = `127.0.0.1:${port}`;
      const command = [installed.server, address, buckets, metadata, ...files];
      const process = Bun.spawn(command, { env: s3Environment, stdio: ["pipe", "ignore", "pipe"] });
      const listens = await until(() => {
        if (process.exitCode !== null || process.signalCode !== null) return "ended";
        return isListening(process.pid, port) ? "listens" : undefined;
      });
      if (listens === "listens") {
        return new S3Server(folder, process, buckets, `${certificate ? "https" : "http"}://${address}`);
      }
      const complaints = await process.stderr.text();
      // Somebody else has taken the port meanwhile.
      if (left === 1 || !complaints.includes("address already in use")) {
        throw new Error(`the S3 server ended: ${complaints}`);
      }
    }
  }

  private constructor(folder: string, process: Bun.Subprocess, buckets: string, endpoint: string) {
    this.#folder = folder;
    this.#process = process;
    this.#buckets = buckets;
    this.endpoint = endpoint;
  }

  /** Makes a bucket and returns the address of a place in it. */
  newPlace(prefix = ""): string {
    const bucket = `bucket-${++this.#count}`;
    mkdirSync(join(this.#buckets, bucket));
    return this.address(`${bucket}/${prefix}`);
  }

  address(place: string): string {
    return `s3://${place}?region=${s3Region}&endpoint=${this.endpoint}`;
  }

  /** Stops answering, as a machine that hangs: connections are still taken. Resolves once no thread of it runs. */
  async pause(): Promise<void> {
    this.#process.kill("SIGSTOP");
    const threads = `/proc/${this.#process.pid}/task`;
    const runs = (thread: string) => !/\) T /.test(readFileSync(`${threads}/${thread}/stat`, "utf8"));
    await until(() => (readdirSync(threads).some(runs) ? undefined : true));
  }

  resume() {
    this.#process.kill("SIGCONT");
  }

  async stop(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#process.exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
