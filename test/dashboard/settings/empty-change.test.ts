import { afterAll, expect, test } from "bun:test";
import { Receiver } from "../../support/receiver.ts";
import { signIn } from "../../support/sign-in.ts";
import { describeTargets } from "../../support/targets.ts";
import { callInternal } from "./call-internal.ts";

const receiver = await Receiver.listen();
afterAll(() => receiver.close());

describeTargets(
  "a change that changes nothing",
  (target) => {
    async function admin() {
      const { cookie } = await signIn(target(), "admin");
      const { project } = target().installation.made;
      const call = (method: string, path: string, body?: unknown) => callInternal(target(), cookie, method, path, body);
      const make = async (path: string, body: object) => (await call("POST", path, body))["id"] as string;
      return { call, make, projectId: project.id };
    }

    /** How many entries of the audit log are about this id. */
    async function entries(id: string): Promise<number> {
      const sql = "select object from audit where object like $1";
      return (await target().installation.ctx.store.all(sql, [`% ${id}`])).length;
    }

    test.each([
      ["tokens", { name: "CI", reach: "all" }, { name: "CI" }],
      ["keys", { name: "App" }, { name: "App", origins: [] }],
      ["subscribers", { url: receiver.url(), name: "Hook" }, { name: "Hook", reportTypes: [] }],
      ["boards", { name: "Board" }, { name: "Board" }],
    ])(
      "%s: an empty body, and one of values as they are, leave no entry in the audit log",
      async (path, body, same) => {
        const { call, make, projectId } = await admin();
        const id = await make(`/internal/${path}`, path === "tokens" ? body : { ...body, projectId });
        const before = await entries(id);
        for (const change of [{}, same]) {
          expect(await call("PATCH", `/internal/${path}/${id}`, change)).toMatchObject({ status: 200, id });
        }
        expect(await entries(id)).toBe(before);
        expect(await call("PATCH", `/internal/${path}/${id}`, { name: "Other" })).toMatchObject({ status: 200 });
        expect(await entries(id)).toBe(before + 1);
      },
    );

    test("what must have a field, or is not there, is refused", async () => {
      const { call, make, projectId } = await admin();
      const url = "https://git.example.org/shop.git";
      const repository = await make("/internal/repositories", { projectId, url });
      expect(await call("PATCH", `/internal/repositories/${repository}`, {})).toMatchObject({ status: 400 });
      expect(await call("PATCH", `/internal/projects/${projectId}`, {})).toMatchObject({ status: 400 });
      for (const path of ["tokens", "keys", "subscribers", "boards", "columns"]) {
        expect(await call("PATCH", `/internal/${path}/0198c0de-0000-7000-8000-00000000dead`, {})).toMatchObject({
          status: 404,
        });
      }
    });
  },
  ["in process"],
);
