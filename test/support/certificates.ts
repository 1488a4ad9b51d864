import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Certificate {
  key: string;
  cert: string;
}

/** A certificate authority that nobody trusts, made by openssl; valid for a day. */
export class Authority {
  readonly #folder = mkdtempSync(join(tmpdir(), "intake-authority-"));
  readonly cert: string;

  constructor() {
    this.#openssl([..."req -x509 -days 1 -subj /CN=Authority -keyout ca.key -out ca.pem".split(" "), ...newKey]);
    this.cert = this.#read("ca.pem");
  }

  /**
   * `names` as `DNS:hooks.test` or `IP:127.0.0.1`; the certificate ends after this many days, or at this time, to the
   * second.
   */
  issue(names: readonly string[], { days = 1, until }: { days?: number; until?: Date } = {}): Certificate {
    writeFileSync(join(this.#folder, "names.cnf"), `subjectAltName=${names.join(",")}\n`);
    this.#openssl([..."req -subj /CN=Receiver -keyout key.pem -out request.pem".split(" "), ...newKey]);
    const signing = until === undefined ? this.#forDays(days) : this.#until(until);
    this.#openssl(`${signing} -in request.pem -extfile names.cnf -out cert.pem`.split(" "));
    return { key: this.#read("key.pem"), cert: this.#read("cert.pem") };
  }

  #forDays(days: number): string {
    return `x509 -req -days ${days} -CA ca.pem -CAkey ca.key -CAcreateserial`;
  }

  #until(until: Date): string {
    const section = "database = index.txt\nnew_certs_dir = .\nrand_serial = yes\ndefault_md = sha256\npolicy = any";
    writeFileSync(join(this.#folder, "ca.cnf"), `[ca]\n${section}\n[any]\ncommonName = supplied\n`);
    writeFileSync(join(this.#folder, "index.txt"), "");
    const end = until.toISOString().replace(/[-:T]|\.\d+/g, "");
    return `ca -batch -notext -config ca.cnf -name ca -cert ca.pem -keyfile ca.key -enddate ${end}`;
  }

  remove() {
    rmSync(this.#folder, { recursive: true });
  }

  #openssl(words: readonly string[]) {
    execFileSync("openssl", words, { cwd: this.#folder, stdio: "pipe" });
  }

  #read(name: string): string {
    return readFileSync(join(this.#folder, name), "utf8");
  }
}

const newKey = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes".split(" ");
