import { afterAll, beforeAll, describe, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { addMember } from "../../../server/accounts/add-member.ts";
import { inviteMember } from "../../../server/accounts/invite-member.ts";
import { setRole } from "../../../server/accounts/set-role.ts";
import { startServer } from "../../../server/app/server.ts";
import { usualSchedule } from "../../../server/webhooks/subscribers/retry-schedule.ts";
import { onPostgres } from "../../support/databases.ts";
import { type Installation, install } from "../../support/installation.ts";
import { quickPasswords } from "../../support/quick-passwords.ts";
import { until } from "../../support/until.ts";

setDefaultTimeout(180_000);
quickPasswords();

const right = { email: "admin@example.org", password: "correct horse battery" };
const wrong = { ...right, password: "wrong horse battery" };
const strangers = "strange horse battery";

/** Requests from an address of their own: a source address of the loopback, or one that a trusted proxy names. */
interface Place {
  localAddress: string;
  headers: Record<string, string>;
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
}

const ways = [
  {
    way: "directly",
    trustedProxies: [],
    at: (n: number): Place => ({ localAddress: `127.0.${n >> 8}.${n & 255}`, headers: {} }),
  },
  {
    way: "behind a proxy",
    trustedProxies: ["127.0.0.1"],
    // The header that the shipped configuration of Caddy sets.
    at: (n: number): Place => ({
      localAddress: "127.0.0.1",
      headers: { "X-Forwarded-For": `198.51.${n >> 8}.${n & 255}` },
    }),
  },
] as const;

for (const { way, trustedProxies, at } of ways) {
  describe(`nobody locks others out (${way})`, () => {
    let installation: Installation;
    let server: Awaited<ReturnType<typeof startServer>>;
    const sockets: Socket[] = [];

    beforeAll(async () => {
      installation = await install();
      server = await startServer({
        data: installation.folder,
        databaseUrl: installation.databaseUrl,
        host: "127.0.0.1",
        port: 0,
        publicUrl: undefined,
        ingestUrl: undefined,
        trustedProxies,
        webhookAllow: [],
        webhookCa: [],
        mailCa: [],
        webhookSchedule: usualSchedule,
        metrics: "off",
        rateLimits: true,
        onFatal: (error) => {
          throw error;
        },
      });
    });
    afterAll(async () => {
      for (const socket of sockets) socket.destroy();
      await server.stop();
      await installation.remove();
    });

    const post = (place: Place, path: string, body: unknown, cookie = "") => send("POST", place, path, body, cookie);
    const remove = (place: Place, path: string, cookie: string) => send("DELETE", place, path, {}, cookie);

    function send(
      method: "POST" | "DELETE",
      { localAddress, headers }: Place,
      path: string,
      body: unknown,
      cookie: string,
    ): Promise<Answer> {
      const { hostname, port, host } = new URL(server.url);
      const common = {
        "Content-Type": "application/json",
        Origin: `http://${host}`,
        ...(cookie ? { Cookie: cookie } : {}),
      };
      return new Promise((resolve, reject) => {
        const sent = request(
          { hostname, port, path, method, localAddress, headers: { ...common, ...headers }, agent: false },
          (answer) => {
            answer.resume();
            answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers }));
          },
        );
        sent.on("error", reject);
        sent.end(JSON.stringify(body));
      });
    }

    const enter = (place: Place, body: unknown) => post(place, "/internal/session", body);

    /** Starts bodies that never end; `answers` collects the statuses that come back. */
    function trickle(place: Place, count: number): { answers: string[] } {
      const { port, host } = new URL(server.url);
      const given = Object.entries(place.headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const answers: string[] = [];
      for (let i = 0; i < count; i++) {
        const socket = connect({ port: Number(port), host: "127.0.0.1", localAddress: place.localAddress });
        socket.on("data", (data) => answers.push(data.toString().slice(9, 12)));
        socket.on("error", () => {});
        socket.write(
          `POST /internal/invitations/show HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\nContent-Type: application/json\r\n${given.join("")}Content-Length: 100\r\n\r\n{`,
        );
        sockets.push(socket);
      }
      return { answers };
    }

    test("64 bodies from four addresses that never end keep nobody from signing in, setting up or following a link", async () => {
      const held = [2, 3, 4, 5].map((n) => trickle(at(n), 16));
      // The seventeenth body of each address is refused, so all others are being read.
      const more = [2, 3, 4, 5].map((n) => trickle(at(n), 1));
      await until(() => more.every(({ answers }) => answers[0] === "503") || undefined);
      expect(held.flatMap(({ answers }) => answers)).toEqual([]);
      expect((await enter(at(9), right)).status).toBe(200);
      expect((await post(at(9), "/internal/invitations/show", { secret: "none" })).status).toBe(404);
      expect((await post(at(9), "/internal/setup", {})).status).toBe(403);
      const { host } = new URL(server.url);
      expect((await fetch(`http://${host}/internal/setup`)).status).toBe(200);
      // The bodies are aborted after five seconds.
      await until(
        () => held.every(({ answers }) => answers.filter((status) => status === "408").length === 16) || undefined,
      );
    });

    test("600 bodies from forty addresses that never end keep nobody from signing in", async () => {
      // None of these bodies is aborted for its age meanwhile, however long a busy machine takes.
      const { setTimeout: set } = globalThis;
      const timed = spyOn(globalThis, "setTimeout").mockImplementation(((act: () => void, ms?: number) =>
        set(act, ms === 3_000 ? 120_000 : ms)) as typeof setTimeout);
      const held = Array.from({ length: 40 }, (_, i) => trickle(at(600 + i), 15));
      // 600 bodies are 88 too many: the oldest are aborted.
      const aborted = () => held.flatMap(({ answers }) => answers);
      await until(() => aborted().length >= 88 || undefined);
      expect(aborted()).toEqual(Array(88).fill("408"));
      expect((await enter(at(9), right)).status).toBe(200);
      expect(aborted().length).toBeLessThan(100);
      // A database admits calls of one moment in an order of its own.
      if (!onPostgres) expect([held[0]?.answers.length, held.at(-1)?.answers.length]).toEqual([15, 0]);
      timed.mockRestore();
      for (const socket of sockets.splice(0)) socket.destroy();
    });

    test("one address has sixty calls a minute", async () => {
      const statuses = [];
      for (let i = 0; i < 61; i++)
        statuses.push((await post(at(20), "/internal/invitations/show", { secret: "x" })).status);
      expect(statuses).toEqual([...Array(60).fill(404), 429]);
      expect((await post(at(21), "/internal/invitations/show", { secret: "x" })).status).toBe(404);
    });

    test("wrong passwords from anywhere make neither the owner's sign-in nor an open session wait", async () => {
      const entered = await enter(at(30), right);
      const cookie = String(entered.headers["set-cookie"]).split(";")[0];
      const guessed = [];
      for (let i = 0; i < 9; i++) guessed.push((await enter(at(31), wrong)).status);
      expect(guessed).toEqual([401, 401, 401, 401, 401, 429, 429, 429, 429]);
      for (let i = 0; i < 9; i++) expect((await enter(at(40 + i), wrong)).status).toBe(401);
      // From a known network, from another one, and in the open session.
      expect((await enter(at(30), right)).status).toBe(200);
      expect((await enter(at(300), right)).status).toBe(200);
      expect((await post(at(31), "/internal/session/password", { password: right.password }, cookie)).status).toBe(200);
    });

    /**
     * Strangers who try passwords until the work is done, each from an address and at an account of their own. Checking
     * their passwords takes time but no processor: the test is about who is served first.
     */
    async function amongStrangers(work: () => Promise<void>) {
      const { verify } = Bun.password;
      const verified = spyOn(Bun.password, "verify").mockImplementation((password, ...rest) =>
        password === strangers ? Bun.sleep(25).then(() => false) : verify(password, ...rest),
      );
      let [tries, going] = [0, true];
      let full = () => {};
      const filled = new Promise<void>((resolve) => {
        full = resolve;
      });
      const trying = Array.from({ length: 40 }, async () => {
        while (going) {
          const email = `nobody${++tries}@example.org`;
          if ((await enter(at(2_000 + tries), { email, password: strangers })).status === 429) full();
        }
      });
      await filled;
      try {
        await work();
      } finally {
        going = false;
        await Promise.all(trying);
        verified.mockRestore();
      }
    }

    const cookieFrom = (answer: Answer) => String(answer.headers["set-cookie"]).split(";")[0] ?? "";
    const secretOf = (link: { inviteUrl: string }) => new URL(link.inviteUrl).hash.slice(1);
    const accept = (place: Place, secret: string, password: string) =>
      post(place, "/internal/invitations/accept", { secret, password });

    test("strangers that fill the queue of passwords keep nobody from choosing one, by a link or signed in", async () => {
      const input = { email: `${crypto.randomUUID()}@example.org`, name: "Owner", role: "member" } as const;
      const { ctx } = installation;
      const link = await addMember({ ctx, input });
      const current = "tractor lemon seven";
      const cookie = cookieFrom(await accept(at(60), secretOf(link), current));
      await amongStrangers(async () => {
        const body = { current, password: "tractor lemon eight" };
        expect((await post(at(60), "/internal/me/password", body, cookie)).status).toBe(200);
        const reset = await inviteMember({ ctx, input: { id: link.id, reset: true } });
        expect((await accept(at(900), secretOf(reset), "tractor lemon nine")).status).toBe(200);
      });
    });

    test("whoever signed out, or lost every session by a new password or role, is no stranger at the same desk", async () => {
      const input = { email: `${crypto.randomUUID()}@example.org`, name: "Owner", role: "member" } as const;
      const { ctx } = installation;
      const link = await addMember({ ctx, input });
      const password = "tractor lemon seven";
      const cookie = cookieFrom(await accept(at(61), secretOf(link), password));
      expect((await remove(at(61), "/internal/session", cookie)).status).toBe(200);
      await amongStrangers(async () => {
        expect((await enter(at(62), { email: input.email, password })).status).toBe(200);
        await setRole({ ctx, input: { id: link.id, role: "admin" } });
        expect((await enter(at(62), { email: input.email, password })).status).toBe(200);
      });
    });

    test("an open session that guesses waits like an address, and holds up no other", async () => {
      const sessions = [];
      for (const n of [50, 51]) {
        const { headers } = await enter(at(n), right);
        sessions.push(String(headers["set-cookie"]).split(";")[0]);
      }
      const confirm = async (cookie: string | undefined, password: string) =>
        (await post(at(50), "/internal/session/password", { password }, cookie)).status;
      const guessed = [];
      for (let i = 0; i < 7; i++) guessed.push(await confirm(sessions[0], "wrong horse battery"));
      expect(guessed.slice(0, 6)).toEqual([401, 401, 401, 401, 401, 429]);
      expect(await confirm(sessions[1], right.password)).toBe(200);
      expect((await enter(at(50), right)).status).toBe(200);
    });
  });
}
