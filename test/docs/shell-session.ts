import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { binaryPath, requireBinary } from "../support/binary.ts";
import { freePort } from "./free-port.ts";

/** Printed by the shell after a block; no program prints this text. */
const mark = "\u0001end of block\u0001";
/** The line that a program prints when it has started and stays up. */
const up = /listening on http:\/\/\S+\n/;
/** Milliseconds after which a block counts as hanging: far more than a block takes on a busy machine. */
const maxMilliseconds = 300_000;

/**
 * One bash in an empty folder with the compiled binary on its PATH, as a reader of a page has it. Variables, functions
 * and programs that a block leaves are there for the next block. A command that fails ends the shell.
 */
export class ShellSession {
  readonly folder = mkdtempSync(join(tmpdir(), "intake-docs-"));
  readonly #scripts = mkdtempSync(join(tmpdir(), "intake-docs-scripts-"));
  /** The ports that pages name, each with the free port that replaces it. */
  readonly #ports = new Map(["3000", "8080", "9464"].map((port) => [port, String(freePort())]));
  readonly #shell: Bun.Subprocess<"pipe", "pipe", "pipe">;
  readonly #closed: Promise<unknown>;
  #stdout = "";
  #stderr = "";
  #look = () => {};
  #scriptCount = 0;
  #server: number | undefined;

  constructor() {
    requireBinary();
    this.#shell = Bun.spawn(["bash", "-eu", "-o", "pipefail"], {
      cwd: this.folder,
      env: {
        PATH: `${dirname(binaryPath)}:${process.env["PATH"]}`,
        HOME: this.folder,
        INTAKE_PORT: this.#ports.get("3000"),
        INTAKE_METRICS: `127.0.0.1:${this.#ports.get("9464")}`,
        // npm installs from the server of the page; no other registry may be asked.
        npm_config_registry: "http://127.0.0.1:9",
        npm_config_audit: "false",
        npm_config_fund: "false",
        npm_config_update_notifier: "false",
        npm_config_loglevel: "error",
      },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
      detached: true,
    });
    this.#closed = Promise.all([
      collect(this.#shell.stdout, (text) => {
        this.#stdout += text;
        this.#look();
      }),
      collect(this.#shell.stderr, (text) => {
        this.#stderr += text;
      }),
    ]);
  }

  /** Everything printed on stdout so far, with the ports that the pages name. */
  get printed(): string {
    const marked = this.#stdout.replaceAll(mark, "\n");
    return [...this.#ports].reduce((text, [port, free]) => text.replaceAll(free, port), marked);
  }

  /** Writes a file of the page into the folder. */
  save(name: string, text: string) {
    writeFileSync(join(this.folder, name), this.#withFreePorts(text));
  }

  /** Runs a block to its end; returns what was printed on stdout meanwhile, with the ports that the pages name. */
  async run(block: string): Promise<string> {
    const before = this.printed.length;
    await this.#send(`${this.#sourced(block)}; printf '\\001end of block\\001'`, block, (text) => text.includes(mark));
    return this.printed.slice(before);
  }

  /** Starts a command that stays up, and waits until it says where it listens. */
  async start(command: string): Promise<void> {
    await this.#send(`${this.#sourced(`exec ${command}`)} &`, command, (text) => up.test(text));
    const pid = Number(await this.run('echo "$!"'));
    if (command.startsWith("intake serve")) this.#server = pid;
  }

  /** Stops the server that the page has started, as Ctrl-C would, and waits for its end. */
  async stopServer(): Promise<void> {
    if (this.#server === undefined) throw new Error("no server is up");
    process.kill(this.#server, "SIGTERM");
    await this.run(`wait ${this.#server}`);
    this.#server = undefined;
  }

  /** Ends the shell and every program that it has started. */
  async close(): Promise<void> {
    try {
      process.kill(-this.#shell.pid, "SIGTERM");
    } catch {
      // A shell that a failed command has ended leaves no processes, except programs that stay up.
    }
    await this.#closed;
    rmSync(this.folder, { recursive: true, force: true });
    rmSync(this.#scripts, { recursive: true, force: true });
  }

  #sourced(text: string): string {
    const script = join(this.#scripts, `block-${this.#scriptCount++}.sh`);
    writeFileSync(script, this.#withFreePorts(text));
    return `. '${script}' < /dev/null`;
  }

  #withFreePorts(text: string): string {
    return text.replaceAll(/\b(3000|8080|9464)\b/g, (port) => this.#ports.get(port) ?? port);
  }

  /** Sends a line to the shell and waits until the text printed from now on satisfies `done`. */
  async #send(line: string, block: string, done: (text: string) => boolean): Promise<void> {
    const from = this.#stdout.length;
    const ended = Promise.withResolvers<void>();
    this.#look = () => {
      if (done(this.#stdout.slice(from))) ended.resolve();
    };
    const timer = setTimeout(() => ended.reject(new Error("it hangs")), maxMilliseconds);
    void this.#shell.exited.then((code) => ended.reject(new Error(`the shell ended with ${code}`)));
    this.#shell.stdin.write(`${line}\n`);
    this.#shell.stdin.flush();
    try {
      await ended.promise;
    } catch (error) {
      const printed = `${this.#stdout.slice(from)}\n${this.#stderr.slice(-2_000)}`;
      throw new Error(`${(error as Error).message}:\n${block}\n${printed}`);
    } finally {
      clearTimeout(timer);
    }
  }
}

async function collect(stream: ReadableStream<Uint8Array>, add: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) add(decoder.decode(chunk, { stream: true }));
}
