import type { Case, Env, Result } from "./env.ts";
import { leaks } from "./kit.ts";

export const quiet = "nothing is rejected without anybody listening, and no log tells a credential";

const atOnce = 16;
const caseSeconds = 120;

/** Runs many cases at the same time and reports the results to the control server. */
export async function runCases(env: Env, cases: readonly Case[]): Promise<void> {
  const lost = watchRejections();
  const results: Result[] = [];
  const waiting = [...cases];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results.push(await runCase(env, next));
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const noise = [...lost, ...leaks].join("; ");
  results.push({ name: quiet, ms: 0, ...(noise && { error: noise }) });
  await fetch(`${env.control}/results`, { method: "POST", body: JSON.stringify(results) });
}

async function runCase(env: Env, [name, check]: Case): Promise<Result> {
  const began = Date.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${caseSeconds} s`)), caseSeconds * 1_000);
  });
  try {
    await Promise.race([check(env), late]);
    return { name, ms: Date.now() - began };
  } catch (error) {
    return { name, ms: Date.now() - began, error: `${error instanceof Error ? error.stack : error}` };
  } finally {
    clearTimeout(timer);
  }
}

function watchRejections(): string[] {
  const lost: string[] = [];
  const note = (reason: unknown) => lost.push(`unhandled: ${reason instanceof Error ? reason.stack : reason}`);
  const { process } = globalThis as { process?: { on?: (name: string, listener: (reason: unknown) => void) => void } };
  if (process?.on) process.on("unhandledRejection", note);
  else {
    globalThis.addEventListener("unhandledrejection", (event) => {
      event.preventDefault();
      note((event as Event & { reason: unknown }).reason);
    });
  }
  return lost;
}
