import { expect, test } from "bun:test";
import { pages } from "../../server/dashboard/pages.ts";
import { signIn } from "../support/sign-in.ts";
import { describeTargets } from "../support/targets.ts";

describeTargets(
  "scripts that pages name beforehand",
  (target) => {
    async function textOf(path: string, cookie = ""): Promise<string> {
      const answer = await target().send(path, { headers: { cookie } });
      expect([path, answer.status]).toEqual([path, 200]);
      return answer.text();
    }

    const named = (page: string) =>
      [...page.matchAll(/<link rel="modulepreload" href="\/assets\/(.+?)">/g)].map(([, name = ""]) => name);
    const imports = (script: string) =>
      [...script.matchAll(/(?:from|import)"\.\/(.+?)"/g)].map(([, name = ""]) => name);

    test("are all that these import, once each", async () => {
      const { cookie } = await signIn(target(), "admin");
      const scripts = new Map<string, string[]>();
      for (const { path } of pages) {
        for (const as of [cookie, ""]) {
          const names = named(await textOf(path.replace(/:\w+/g, crypto.randomUUID()), as));
          expect(names).toEqual([...new Set(names)]);
          for (const name of names) {
            if (!scripts.has(name)) scripts.set(name, imports(await textOf(`/assets/${name}`)));
            expect([path, name, scripts.get(name)?.filter((one) => !names.includes(one))]).toEqual([path, name, []]);
          }
        }
      }
      // The first one alone would do for that.
      expect(scripts.size).toBeGreaterThan(10);
    });

    test("are those of the sign-in for strangers, of the page itself for members, of the board at the root", async () => {
      const { cookie } = await signIn(target(), "member");
      const board = `/p/${crypto.randomUUID()}/boards/${crypto.randomUUID()}`;
      const [stranger, signingIn] = [named(await textOf(board)), named(await textOf("/sign-in"))];
      expect(stranger).toEqual(signingIn);
      const member = named(await textOf(board, cookie));
      expect(member).not.toEqual(stranger);
      expect(named(await textOf("/", cookie))).toEqual(expect.arrayContaining(member));
    });

    test("an asset that there is not is not found", async () => {
      const answer = await target().send("/assets/none.js");
      expect([answer.status, answer.headers.get("content-security-policy")]).toEqual([
        404,
        expect.stringContaining("'none'"),
      ]);
      expect(await answer.json()).toMatchObject({ error: "not_found" });
    });
  },
  ["in process", "compiled binary"],
);
