import { expect, test } from "bun:test";
import { call } from "../../support/call.ts";
import { ada, peopleProject } from "../../support/people.ts";
import { signIn } from "../../support/sign-in.ts";
import { describeTargets } from "../../support/targets.ts";

describeTargets(
  "the page Personal data",
  (target) => {
    test("finds, reads and deletes for an admin, with the number that was found", async () => {
      await peopleProject(target());
      const { cookie } = await signIn(target(), "admin");
      const post = (act: string, body: object) =>
        call(target(), "POST", `/internal/people/${act}`, { cookie, body: { ...ada, ...body } });
      expect((await post("find", {})).body).toMatchObject({ reports: 2, attachments: 1 });
      const { body: page } = await post("export", {});
      const items = page["items"] as string[];
      expect(items.map((item) => JSON.parse(item).userEmail)).toEqual([ada.value, ada.value]);
      expect((await post("delete", { reports: 1 })).body).toMatchObject({ error: "conflict" });
      expect((await post("delete", { reports: 2 })).body).toEqual({ deleted: 2, left: 0 });
      expect((await post("find", {})).body).toMatchObject({ reports: 0 });
      expect((await post("find", { value: "" })).body).toMatchObject({ error: "invalid_input" });
      expect((await post("export", { cursor: "nonsense" })).body).toMatchObject({ error: "invalid_input" });
    });
  },
  ["over loopback"],
);
