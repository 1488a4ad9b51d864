import { expect, expectTypeOf, test } from "bun:test";
import { treaty } from "@elysiajs/eden";
import type { Scope } from "../../openapi/schema/scopes.ts";
import type { App } from "../../server/app/routes.ts";
import { signIn } from "../support/sign-in.ts";
import { describeTargets, type Target } from "../support/targets.ts";
import { newToken } from "../support/tickets.ts";

const absent = "0198c0de-0000-7000-8000-00000000dead";

/** Titles and names that look like dates and have to stay text. */
const dateLike = "2026-01-01";

function client({ url, send }: Target, headers: Record<string, string> = {}) {
  const fetcher = (input: string | URL | Request, init?: RequestInit) => send(String(input).slice(url.length), init);
  return treaty<App>(url, {
    parseDate: false,
    fetcher: Object.assign(fetcher, { preconnect: fetch.preconnect }),
    headers: { "sec-fetch-site": "same-origin", ...headers },
  });
}

describeTargets(
  "a client by Eden",
  (target) => {
    test("a token is made, listed, changed, revoked", async () => {
      const { cookie } = await signIn(target(), "admin");
      const { tokens } = client(target(), { cookie }).internal;
      const made = await tokens.post({ name: dateLike, reach: [target().installation.made.project.id] });
      if (made.error) throw new Error(made.error.value.error);
      expect(made.data.token).toStartWith("itk_");
      const { id } = made.data;

      const named = async () => (await tokens.get()).data?.items.find((item) => item.id === id);
      expect(await named()).toMatchObject({ name: dateLike, revokedAt: null });
      expect((await tokens({ id }).patch({ name: "Renamed" })).data).toEqual({ id });
      expect(await named()).toMatchObject({ name: "Renamed", createdAt: expect.any(String) });
      expect((await tokens({ id }).delete()).data).toEqual({ id });
      expect(await named()).toMatchObject({ revokedAt: expect.any(String) });
    });

    test("a refusal has its status and code", async () => {
      const nobody = await client(target()).internal.tokens.get();
      expect(nobody.error).toMatchObject({ status: 401, value: { error: "not_signed_in" } });
      const { cookie } = await signIn(target(), "admin");
      const unknown = await client(target(), { cookie }).internal.tokens({ id: absent }).delete();
      expect(unknown.error).toMatchObject({ status: 404, value: { error: "not_found" } });
    });

    test("a ticket is created, and what it answers is left as it is", async () => {
      const { token } = await newToken(target().installation);
      const headers = { authorization: `Bearer ${token}`, "idempotency-key": "eden" };
      const { tickets } = client(target()).api.v1;
      const first = await tickets.post({ title: dateLike }, { headers });
      expect(first.data).toMatchObject({ title: dateLike, createdAt: expect.any(String) });
      expect((await tickets.post({ title: dateLike }, { headers })).data).toEqual(first.data);
    });
  },
  ["in process", "over loopback"],
);

test("wrong use does not compile", () => {
  const { internal, api } = treaty<App>("http://localhost", { parseDate: false });
  type Input = Parameters<typeof internal.tokens.post>[0];
  expectTypeOf<Input["reach"]>().toEqualTypeOf<"all" | string[]>();
  expectTypeOf<Input["scopes"]>().toEqualTypeOf<Scope[] | undefined>();
  type Made = NonNullable<Awaited<ReturnType<typeof internal.tokens.post>>["data"]>;
  expectTypeOf<Made>().toEqualTypeOf<{ id: string; token: string; fingerprint: string }>();
  type Ticket = NonNullable<Awaited<ReturnType<typeof api.v1.tickets.post>>["data"]>;
  expectTypeOf<Ticket["createdAt"]>().toEqualTypeOf<string>();

  const misused = () => [
    // @ts-expect-error: a token without reach
    internal.tokens.post({ name: "CI" }),
    // @ts-expect-error: no such scope
    internal.tokens.post({ name: "CI", reach: "all", scopes: ["everything"] }),
    // @ts-expect-error: no such member
    internal.tokens.post({ name: "CI", reach: "all", colour: "red" }),
    // @ts-expect-error: a list of tokens is not put
    internal.tokens.put,
    // @ts-expect-error: no such call
    internal.nothing,
    // @ts-expect-error: a ticket without a credential
    api.v1.tickets.post({ title: "A ticket" }),
    // @ts-expect-error: a report is a form, which Eden cannot send
    api.ingest,
  ];
  expect(misused).toBeFunction();
});
