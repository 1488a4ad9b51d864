import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Certificate {
  key: string;
  cert: string;
}

/** An authority that nobody knows, made by openssl; it lasts a day. */
export class Authority {
  readonly #folder = mkdtempSync(join(tmpdir(), "intake-authority-"));
  readonly cert: string;

  constructor() {
    this.#openssl([..."req -x509 -days 1 -subj /CN=Authority -keyout ca.key -out ca.pem".split(" "), ...newKey]);
    this.cert = this.#read("ca.pem");
  }

  /** `names` as `DNS:hooks.test` or `IP:127.0.0.1`. */
  issue(names: readonly string[], { days = 1 } = {}): Certificate {
    writeFileSync(join(this.#folder, "names.cnf"), `subjectAltName=${names.join(",")}\n`);
    this.#openssl([..."req -subj /CN=Receiver -keyout key.pem -out request.pem".split(" "), ...newKey]);
    this.#openssl(
      `x509 -req -days ${days} -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -extfile names.cnf -out cert.pem`.split(
        " ",
      ),
    );
    return { key: this.#read("key.pem"), cert: this.#read("cert.pem") };
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
