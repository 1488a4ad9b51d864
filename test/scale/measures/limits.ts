import { Deployment, type Process } from "../chaos/deployment.ts";
import { overrunsOf } from "../chaos/judge.ts";
import type { Admitted } from "../chaos/ledger.ts";

interface Options {
  processes: number;
  requests: number;
  progress: (text: string) => void;
}

interface LimitReport {
  limit: number;
  requests: number;
  admitted: number;
  /** In the first 60 s. */
  admittedFirst: number;
  /** Spans of 60 s with more admitted requests than the limit. */
  overruns: number;
}

const limits = [60, 600, 5_000];
const callers = 48;
/** More than two spans of 60 s. */
const seconds = 125;
const spanMilliseconds = 60_000;

/** Sends requests of three tokens to all processes, far more than their limits let through. */
export async function measureLimits({ processes, requests, progress }: Options): Promise<LimitReport[]> {
  const deployment = await Deployment.start({ processes });
  try {
    const tokens: Token[] = [];
    for (const limit of limits) tokens.push(await newToken(deployment, limit));
    const began = performance.now();
    let sent = 0;
    const call = async () => {
      while (sent < requests) {
        // At an even rate, so that all of them take the whole time.
        const n = sent++;
        if (n % Math.ceil(requests / 10) === 0) progress(`${n} of ${requests} requests`);
        const due = began + (n * seconds * 1_000) / requests;
        await Bun.sleep(Math.max(0, due - performance.now()));
        const token = tokens[n % tokens.length] as Token;
        const process = deployment.processes[Math.floor(Math.random() * processes)] as Process;
        await createTicket(process, token);
      }
    };
    await Promise.all(Array.from({ length: callers }, call));
    return tokens.map(({ limit, count, admitted }) => ({
      ...{ limit, requests: count, admitted: admitted.length },
      admittedFirst: admitted.filter(({ answered }) => answered - began < spanMilliseconds).length,
      overruns: overrunsOf(admitted, limit),
    }));
  } finally {
    await deployment.stop();
  }
}

interface Token {
  limit: number;
  token: string;
  count: number;
  admitted: Admitted[];
}

async function newToken(deployment: Deployment, limit: number): Promise<Token> {
  const words = ["token", "create", "--name", `Of ${limit}`, "--all-projects", "--limit", `${limit}`];
  const { token } = await deployment.command<{ token: string }>(...words);
  return { limit, token, count: 0, admitted: [] };
}

async function createTicket({ server }: Process, token: Token) {
  const sent = performance.now();
  token.count++;
  const response = await fetch(`${server.url}/api/v1/tickets`, {
    method: "POST",
    headers: { authorization: `Bearer ${token.token}`, "content-type": "application/json" },
    body: JSON.stringify({ title: "Limited" }),
  });
  await response.text();
  if (response.status === 201) token.admitted.push({ sent, answered: performance.now() });
  else if (response.status !== 429) throw new Error(`a request was answered with ${response.status}`);
}
