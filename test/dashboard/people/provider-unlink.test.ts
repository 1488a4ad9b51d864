import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { listAudit } from "../../../server/organisation/list-audit.ts";
import { BrowserAtProvider } from "../../support/browser-at-provider.ts";
import { call } from "../../support/call.ts";
import { IdentityProvider } from "../../support/identity-provider.ts";
import { add, member, somebody } from "../../support/providers.ts";
import { signIn } from "../../support/sign-in.ts";
import { describeTargets } from "../../support/targets.ts";

setDefaultTimeout(180_000);

describeTargets(
  "unlinking a member from a provider",
  (target) => {
    let one: IdentityProvider;
    let two: IdentityProvider;

    beforeAll(async () => {
      [one, two] = await Promise.all([IdentityProvider.start(), IdentityProvider.start()]);
      await add(target(), one, "one", { name: "Provider One", newMembers: "yes" });
      await add(target(), two, "two", { name: "Provider Two" });
    });
    afterAll(() => Promise.all([one.stop(), two.stop()]));

    const browser = () => new BrowserAtProvider(target());

    /** Somebody who became a member by a provider. */
    async function person() {
      one.who = somebody();
      const there = browser();
      expect(await there.signIn("one")).toBe("/");
      return { there, id: String((await there.me())?.["id"]), sub: one.who.sub };
    }

    /** Links whoever is signed in to the other provider too. */
    async function linkToTwo(signedIn: BrowserAtProvider) {
      two.who = somebody();
      const { body } = await signedIn.call("POST", "/internal/me/identities", { provider: "two" });
      const place = await signedIn.comeBack(await signedIn.atProvider(String(body["url"])));
      expect(place).toBe("/settings/profile?linked=two");
    }

    async function unlink(id: string, provider: string) {
      const { cookie } = await signIn(target(), "admin");
      return call(target(), "DELETE", `/internal/members/${id}/identities/${provider}`, { cookie });
    }

    test("an admin sees who is linked where, and unlinks them: the sessions that began there end, others stay, and it is in the audit log", async () => {
      const { there, id, sub } = await person();
      await linkToTwo(there);
      const other = browser();
      expect(await other.signIn("two")).toBe("/");
      const { cookie } = await signIn(target(), "admin");
      const listed = await call(target(), "GET", "/internal/members", { cookie });
      const rows = listed.body["items"] as { id: string; providers: object[] }[];
      expect(rows.find((row) => row.id === id)?.providers).toEqual([
        { id: "one", name: "Provider One" },
        { id: "two", name: "Provider Two" },
      ]);

      const { status, body } = await unlink(id, "one");
      expect({ status, body }).toEqual({ status: 200, body: { id, provider: "one", ended: 1 } });
      expect(await there.me()).toBeUndefined();
      expect((await other.me())?.["id"]).toBe(id);
      const { items } = await listAudit({ ctx: target().installation.ctx, input: { limit: 5 } });
      const entry = items.find(({ action }) => action === "member.unlink");
      expect(entry).toMatchObject({
        object: `member ${id}`,
        ...{ from: { issuer: one.url, subject: sub }, to: { ended: 1 } },
      });

      // The person there is nobody's any more, and comes in as somebody new at best.
      one.who = { ...one.who, sub };
      expect(await browser().signIn("one")).not.toBe("/");
      expect((await unlink(id, "one")).status).toBe(404);
    });

    test("whoever has no other way in then needs a link, which the list of members says", async () => {
      const { id } = await person();
      expect((await unlink(id, "one")).status).toBe(200);
      const { cookie } = await signIn(target(), "admin");
      const listed = await call(target(), "GET", "/internal/members", { cookie });
      const rows = listed.body["items"] as { id: string; state: string; providers: object[] }[];
      expect(rows.find((row) => row.id === id)).toMatchObject({ state: "waiting", providers: [] });
    });

    test("a member, a provider that is not there, and one that the member is not linked to are refused", async () => {
      const { id, there } = await person();
      const { status } = await there.call("DELETE", `/internal/members/${id}/identities/one`);
      expect(status).toBe(403);
      expect((await unlink(id, "nobody")).status).toBe(404);
      expect((await unlink(id, "two")).status).toBe(404);
      expect((await unlink((await member(target())).id, "one")).status).toBe(404);
      expect((await there.me())?.["id"]).toBe(id);
    });

    test("the only admin who can sign in is not left without a way in", async () => {
      const { id } = await person();
      const { ctx } = target().installation;
      const everybodyElse = await ctx.store.all<{ id: string }>(
        "select id from member where role = 'admin' and removed_at is null and password_hash is not null",
      );
      const passwords = (hash: string | null) =>
        ctx.store.write(function* (tx) {
          for (const admin of everybodyElse) {
            yield* tx.run("update member set password_hash = $2 where id = $1", [admin.id, hash]);
          }
        });
      const { password_hash: hash = "" } =
        (await ctx.store.one<{ password_hash: string }>("select password_hash from member where id = $1", [
          everybodyElse[0]?.id ?? "",
        ])) ?? {};
      await ctx.store.write((tx) => tx.run("update member set role = 'admin' where id = $1", [id]));
      await passwords(null);
      const refused = await unlink(id, "one");
      expect([refused.status, refused.body["error"]]).toEqual([409, "conflict"]);
      await passwords(hash);
      expect((await unlink(id, "one")).status).toBe(200);
    });

    test("whoever unlinks the own account ends the other sessions that began there, and stays signed in", async () => {
      const { there, sub } = await person();
      await linkToTwo(there);
      const elsewhere = browser();
      one.who = { sub };
      expect(await elsewhere.signIn("one")).toBe("/");
      expect((await there.call("DELETE", "/internal/me/identities/one")).status).toBe(200);
      expect(await elsewhere.me()).toBeUndefined();
      expect(await there.me()).toBeDefined();
      // The last way in stays.
      const { status, body } = await there.call("DELETE", "/internal/me/identities/two");
      expect([status, body["error"]]).toEqual([409, "conflict"]);
    });
  },
  ["over loopback"],
  { rateLimits: false },
);
