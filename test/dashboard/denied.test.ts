import { expect, test } from "bun:test";
import { pages } from "../../server/dashboard/pages.ts";
import { signIn } from "../support/sign-in.ts";
import { describeTargets } from "../support/targets.ts";

const adminPages = [
  "/subscribers/:subscriber",
  "/subscribers/:subscriber/deliveries/:delivery",
  "/notices",
  "/settings/tokens",
  "/settings/tokens/:token",
  "/settings/members",
  "/settings/sign-in",
  "/settings/repositories",
  "/settings/agent",
  "/settings/organisation",
  "/settings/backups",
  "/settings/mail",
  "/settings/audit",
  "/settings/people",
];

describeTargets(
  "the document of a page that is for admins",
  (target) => {
    async function documents(cookie: string): Promise<string[]> {
      const denied: string[] = [];
      for (const { path } of pages) {
        const address = path.replace(/:\w+/g, crypto.randomUUID());
        const answer = await target().send(address, { headers: { cookie, accept: "text/html" } });
        const text = await answer.text();
        expect([path, answer.headers.get("content-type")]).toEqual([path, "text/html; charset=utf-8"]);
        // The frame of the page is sent all the same, and its script says who may see the page.
        expect([path, text.includes('<script type="module"')]).toEqual([path, true]);
        if (answer.status === 403) denied.push(path);
        else expect([path, answer.status]).toEqual([path, 200]);
      }
      return denied;
    }

    test("is 403 to a member", async () => {
      expect(await documents((await signIn(target(), "member")).cookie)).toEqual(adminPages);
    });

    test("is 200 to an admin, and to a stranger, who signs in there", async () => {
      expect(await documents((await signIn(target(), "admin")).cookie)).toEqual([]);
      expect(await documents("")).toEqual([]);
    });
  },
  ["in process", "compiled binary"],
);
