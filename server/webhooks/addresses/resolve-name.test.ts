import { afterEach, beforeEach, expect, test } from "bun:test";
import { getServers, setServers } from "node:dns";
import { rmSync, writeFileSync } from "node:fs";
import { NameServer } from "../../../test/support/name-server.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { until } from "../../../test/support/until.ts";
import { renewNameServers, resolveName } from "./resolve-name.ts";

let folder: string;
let path: string;
const usual = getServers();
beforeEach(() => {
  folder = temporaryFolder();
  path = `${folder}/resolv.conf`;
  setServers(["192.0.2.1"]);
});
afterEach(() => {
  setServers(usual);
  rmSync(folder, { recursive: true, force: true });
});

test("name servers that were set since are those that are asked", () => {
  writeFileSync(
    path,
    "# by hand\n; nameserver 192.0.2.9\nsearch example.org\nnameserver 192.0.2.2\n nameserver\t2001:db8::1 \n",
  );
  expect(renewNameServers(path)).toBe(true);
  expect(getServers()).toEqual(["192.0.2.2", "2001:db8::1"]);
  expect(renewNameServers(path)).toBe(false);
});

test.each(["", "nameserver\n", "search example.org\n", "nameserver nonsense\n", undefined])(
  "of a file with %p nothing is taken",
  (text) => {
    if (text !== undefined) writeFileSync(path, text);
    expect(renewNameServers(path)).toBe(false);
    expect(getServers()).toEqual(["192.0.2.1"]);
  },
);

test("a name that nobody knows is asked for once more at most", async () => {
  setServers(usual);
  await expect(resolveName("nobody.invalid")).rejects.toMatchObject({ code: expect.stringContaining("ENOTFOUND") });
  expect(await resolveName("localhost")).toContainEqual(expect.objectContaining({ address: "127.0.0.1" }));
});

test.each(["NODATA", "NXDOMAIN"] as const)("a name that had no address (%s) is asked for again", async (answer) => {
  const names = await NameServer.listen(answer);
  writeFileSync(path, `nameserver ${names.address}\n`);
  setServers([names.address]);
  await expect(resolveName("later.test", path)).rejects.toMatchObject({ code: expect.stringContaining("ENOTFOUND") });
  names.knows = true;
  expect(await resolveName("later.test", path)).toMatchObject([{ address: "127.0.0.1" }]);
  names.close();
});

test("names that are asked for at the same time are not disturbed by one that has no address", async () => {
  const names = await NameServer.listen("NODATA");
  writeFileSync(path, `nameserver ${names.address}\n`);
  setServers([names.address]);
  const slow = resolveName("slow.test", path);
  await until(() => names.heldBack > 0 || undefined);
  await expect(resolveName("later.test", path)).rejects.toThrow();
  names.release();
  expect(await slow).toMatchObject([{ address: "127.0.0.1" }]);
  names.close();
});
