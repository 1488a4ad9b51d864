import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Socket, TCPSocketListener } from "bun";
import { Authority, type Certificate } from "../../test/support/certificates.ts";
import { startMailServer, type TestMailServer, textOfMail } from "../../test/support/mail-server.ts";
import type { MailServer } from "./mail-server.ts";
import type { Message } from "./message.ts";
import { type SendTools, sendMessage } from "./send-message.ts";

const authority = new Authority();
let certificate: Certificate;
const closing: (() => unknown)[] = [() => authority.remove()];

beforeAll(() => {
  certificate = authority.issue(["DNS:localhost"]);
});
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

const message: Message = {
  id: "0198c0de-0000-7000-8000-000000000001",
  from: "intake@example.org",
  name: "Intake",
  to: "ada@example.org",
  subject: "Choose a password",
  createdAt: 0,
  content: {
    text: "Hello.\n\n.A line with a dot, <b>and more</b>.",
    link: { url: "https://x.example/reset#a", label: "Go" },
  },
};
const given = (text: string) => ({ state: "set", text }) as const;
const quick = { connect: 500, answer: 500, total: 1_000 };

async function serve(options: Parameters<typeof startMailServer>[0]): Promise<TestMailServer> {
  const server = await startMailServer(options);
  closing.push(server.stop);
  return server;
}

/** A server on a bare socket: answers each line, or hangs up for undefined. `open`: what it says first. */
function speak(open: string | undefined, answer: (line: string) => string | undefined): TCPSocketListener {
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open(socket: Socket) {
        if (open !== undefined) socket.write(open);
      },
      data(socket: Socket, bytes) {
        for (const line of bytes.toString().split("\r\n").filter(Boolean)) {
          const said = answer(line);
          if (said === undefined) return void socket.end();
          socket.write(said);
        }
      },
    },
  });
  closing.push(() => server.stop(true));
  return server;
}

function send(
  to: Partial<MailServer> & { port: number },
  { tools = {}, changed = {} }: { tools?: Partial<SendTools>; changed?: Partial<Message> } = {},
) {
  const server: MailServer = {
    host: "localhost",
    security: "starttls",
    user: null,
    password: null,
    from: message.from,
    name: "Intake",
    ...to,
  };
  return sendMessage(
    server,
    { ...message, ...changed },
    { password: { state: "none" }, ca: [authority.cert], ...tools },
  );
}

test("a mail arrives over STARTTLS and over TLS, signed in, whole and with one of each header", async () => {
  for (const secure of [false, true]) {
    const { port, accepted } = await serve({ certificate, secure, password: "right" });
    const steps: string[] = [];
    const tools = { password: given("right"), reached: (step: string) => steps.push(step) };
    expect(await send({ port, security: secure ? "tls" : "starttls", user: "intake" }, { tools })).toBeUndefined();
    expect(steps).toEqual(["connected", "signed in", "accepted"]);
    const [mail] = accepted;
    expect(mail).toMatchObject({ from: "intake@example.org", to: ["ada@example.org"], user: "intake", secure: true });
    expect(textOfMail(mail?.source ?? "")).toBe(
      "Hello.\r\n\r\n.A line with a dot, <b>and more</b>.\r\n\r\nGo:\r\nhttps://x.example/reset#a\r\n",
    );
    const headers = mail?.source.split("\r\n\r\n", 1)[0]?.match(/^[\w-]+(?=:)/gm) ?? [];
    expect(headers.toSorted()).toEqual(
      "Auto-Submitted Content-Type Date From MIME-Version Message-ID Subject To".split(" "),
    );
    expect(mail?.source).toContain(`Message-ID: <${message.id}@example.org>`);
  }
});

test("the certificate must be valid, for this name, from somebody known", async () => {
  const known = await serve({ certificate });
  const other = await serve({ certificate: authority.issue(["DNS:other.test"]) });
  const over = await serve({
    certificate: authority.issue(["DNS:localhost"], { until: new Date(Date.now() - 60_000) }),
  });
  expect(await send({ port: known.port }, { tools: { ca: [] } })).toMatchObject({ fault: "certificate" });
  expect(await send({ port: other.port })).toMatchObject({ fault: "certificate" });
  expect(await send({ port: over.port })).toMatchObject({ fault: "certificate" });
  expect([...known.accepted, ...other.accepted, ...over.accepted]).toEqual([]);
});

test("without STARTTLS nothing is said, and without encryption only to this machine, unless it is asked for", async () => {
  const { port, accepted } = await serve({});
  expect(await send({ port })).toMatchObject({ fault: "starttls_missing" });
  expect(await send({ port, host: "mail.example.org", security: "none" })).toEqual({
    fault: "plain_refused",
    detail: null,
  });
  expect(await send({ port, security: "none", user: "intake" }, { tools: { password: given("x") } })).toEqual({
    fault: "sign_in_missing",
    detail: null,
  });
  expect(accepted).toEqual([]);
  expect(await send({ port, security: "none" })).toBeUndefined();
  expect(await send({ port, security: "none-anywhere" })).toBeUndefined();
});

test("a wrong password is refused, and stands in nothing that is told of it", async () => {
  const { port } = await serve({ certificate, password: "right" });
  const failed = await send({ port, user: "intake" }, { tools: { password: given("a-wrong-password") } });
  expect(failed).toEqual({ fault: "sign_in_refused", detail: "535 wrong password [hidden]" });
  expect(await send({ port, user: "intake" })).toEqual({ fault: "password_missing", detail: null });
  const lost = { tools: { password: { state: "unusable" } } } as const;
  expect(await send({ port, user: "intake" }, lost)).toEqual({ fault: "password_unusable", detail: null });
  const echo = speak("220 hi\r\n", (line) =>
    line.startsWith("EHLO") ? "250-x\r\n250 AUTH PLAIN\r\n" : `535 ${line}\r\n`,
  );
  const echoed = await send(
    { port: echo.port, security: "none", user: "intake" },
    { tools: { password: given("a-wrong-password") } },
  );
  expect(echoed).toEqual({ fault: "sign_in_refused", detail: "535 AUTH PLAIN [hidden]" });
});

test("a server that refuses for now is tried again, one that refuses for good is not", async () => {
  const { port } = await serve({
    certificate,
    onRcptTo({ address }, _session, done) {
      const later = address.startsWith("later");
      done(Object.assign(new Error(later ? "greylisted" : "no such user"), { responseCode: later ? 451 : 550 }));
    },
  });
  expect(await send({ port }, { changed: { to: "later@example.org" } })).toEqual({
    fault: "busy",
    detail: "451 greylisted",
  });
  expect(await send({ port })).toEqual({ fault: "recipient_refused", detail: "550 no such user" });
  const closed = speak("421 come back\r\n", () => "");
  expect(await send({ port: closed.port })).toMatchObject({ fault: "server_busy" });
  const strict = speak("220 hi\r\n", (line) => (line.startsWith("MAIL") ? "553 not you\r\n" : "250 x\r\n"));
  expect(await send({ port: strict.port, security: "none" })).toEqual({
    fault: "sender_refused",
    detail: "553 not you",
  });
});

test("a connection that is cut in the middle of the mail is no accepted mail", async () => {
  let data = false;
  const { port } = speak("220 hi\r\n", (line) => {
    if (data) return undefined;
    data = line === "DATA";
    return data ? "354 go\r\n" : "250 x\r\n";
  });
  expect(await send({ port, security: "none" })).toEqual({ fault: "cut", detail: null });
});

test("a server that hangs, at any point, ends with a timeout; a name and a port that are wrong say so", async () => {
  const silent = speak(undefined, () => "");
  for (const security of ["none", "tls", "starttls"] as const) {
    const began = performance.now();
    expect(await send({ port: silent.port, security }, { tools: { timing: quick } })).toEqual({
      fault: "timeout",
      detail: null,
    });
    expect(performance.now() - began).toBeLessThan(9_000);
  }
  const halfway = speak("220 hi\r\n", (line) => (line.startsWith("EHLO") ? "250 x\r\n" : ""));
  expect(await send({ port: halfway.port, security: "none" }, { tools: { timing: quick } })).toMatchObject({
    fault: "timeout",
  });
  expect(await send({ port: 25, host: "no.such.invalid" })).toMatchObject({ fault: "host_unknown" });
  silent.stop(true);
  expect(await send({ port: silent.port })).toMatchObject({ fault: "unreachable" });
  const web = Bun.serve({ port: 0, fetch: () => new Response("hello") });
  closing.push(() => web.stop(true));
  expect(await send({ port: web.port ?? 0, security: "tls" }, { tools: { timing: quick } })).toMatchObject({
    fault: "tls_failed",
  });
});

test("a stop ends a mail that hangs at once", async () => {
  const silent = speak(undefined, () => "");
  expect(await send({ port: silent.port }, { tools: { signal: AbortSignal.timeout(50) } })).toMatchObject({
    fault: "abandoned",
  });
});

test("letters beyond ASCII arrive: in names and subjects, in a domain, and before the @ where the server takes them", async () => {
  const { port, accepted } = await serve({ certificate });
  const changed = { to: "ada@bücher.example", name: "Größe ☃", subject: "Prüfung ✔" };
  expect(await send({ port }, { changed })).toBeUndefined();
  // The test server decodes what it was told: the header has what was sent.
  expect(accepted[0]?.to).toEqual(["ada@bücher.example"]);
  expect(accepted[0]?.source).toContain("To: ada@xn--bcher-kva.example");
  expect(await send({ port }, { changed: { to: "ädå@example.org" } })).toBeUndefined();
  expect(accepted[1]?.to).toEqual(["ädå@example.org"]);
  const old = speak("220 hi\r\n", (line) => (line.startsWith("EHLO") ? "250 x\r\n" : "250 ok\r\n"));
  expect(await send({ port: old.port, security: "none" }, { changed: { to: "ädå@example.org" } })).toMatchObject({
    fault: "unicode_address",
  });
});
