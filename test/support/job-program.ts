/**
 * A program that takes many jobs, because it is slow to start. A job is a line on its stdin, with tabs between the words;
 * the answer on its stdout ends with a NUL. The program is started by its first job, and again by the job after one over
 * which it ended.
 */
export class JobProgram {
  #running: Running | undefined;
  #before: Promise<unknown> = Promise.resolve();
  #isWaiting = false;

  constructor(
    readonly command: readonly string[],
    readonly cwd?: string,
  ) {}

  /** The answer to a job, which waits for the jobs before it. An error with stderr when the program ends instead. */
  ask(words: readonly string[]): Promise<string> {
    const answer = this.#before.then(() => this.#answer(words));
    this.#before = answer.catch(() => {});
    return answer;
  }

  /** Ends stdin, and waits until the program has ended by itself; one that still owes an answer is killed. */
  async stop() {
    const running = this.#running;
    this.#running = undefined;
    if (!running) return;
    if (this.#isWaiting) running.kill();
    await running.stdin.end();
    const { code, stderr } = await running.ended;
    if (code !== 0) throw new Error(`${this.command.join(" ")} ended with ${code}: ${stderr}`);
  }

  async #answer(words: readonly string[]): Promise<string> {
    if (words.some((word) => /[\t\r\n]/.test(word))) throw new Error(`a word has a tab or a line end in it: ${words}`);
    this.#running ??= start(this.command, this.cwd);
    const { stdin, answers, ended } = this.#running;
    stdin.write(`${words.join("\t")}\n`);
    this.#isWaiting = true;
    await stdin.flush();
    const { value, done } = await answers.next();
    this.#isWaiting = false;
    if (!done) return value;
    this.#running = undefined;
    const { code, stderr } = await ended;
    throw new Error(`${this.command.join(" ")} ended with ${code}: ${stderr.slice(-2_000)}`);
  }
}

type Running = ReturnType<typeof start>;

function start(command: readonly string[], cwd: string | undefined) {
  const child = Bun.spawn([...command], {
    ...(cwd === undefined ? {} : { cwd }),
    // Java decodes the names of files by the locale.
    env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C.UTF-8" },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const ended = Promise.all([child.exited, child.stderr.text()]).then(([code, stderr]) => ({ code, stderr }));
  return { stdin: child.stdin, answers: answersIn(child.stdout), ended, kill: () => child.kill("SIGKILL") };
}

async function* answersIn(stdout: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of stdout) {
    const answers = (rest + decoder.decode(piece, { stream: true })).split("\0");
    rest = answers.pop() ?? "";
    yield* answers;
  }
}
