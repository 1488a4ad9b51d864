import { afterAll, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { S3Credentials } from "./credentials.ts";

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(name: string, content: string): string {
  writeFileSync(`${folder}/${name}`, content);
  return `${folder}/${name}`;
}

test("a key comes from the variables, or from the files that they name", () => {
  const variables = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" };
  expect(new S3Credentials(variables).key).toEqual({ id: "id", secret: "secret", token: undefined });
  const named = {
    AWS_ACCESS_KEY_ID_FILE: fileWith("id", "id of a file\n"),
    AWS_SECRET_ACCESS_KEY_FILE: fileWith("secret", "secret of a file\r\n"),
    AWS_SESSION_TOKEN_FILE: fileWith("token", "token of a file\n"),
  };
  const ofFiles = { id: "id of a file", secret: "secret of a file", token: "token of a file" };
  expect(new S3Credentials(named).key).toEqual(ofFiles);
  expect(new S3Credentials({ ...named, ...variables }).key).toEqual({ ...ofFiles, ...{ id: "id", secret: "secret" } });
});

test("a key that is missing is named", () => {
  const words = (environment: Record<string, string>) => () => new S3Credentials(environment);
  expect(words({})).toThrow("set AWS_ACCESS_KEY_ID, or AWS_ACCESS_KEY_ID_FILE to the name of a file");
  expect(words({ AWS_ACCESS_KEY_ID: "id" })).toThrow("set AWS_SECRET_ACCESS_KEY");
  expect(words({ AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY_FILE: fileWith("none", "\n") })).toThrow(
    "set AWS_SECRET",
  );
  expect(words({ AWS_ACCESS_KEY_ID_FILE: `${folder}/nowhere` })).toThrow(
    "AWS_ACCESS_KEY_ID_FILE: cannot read the file (ENOENT)",
  );
});

test("files are read again; while one is missing the key stays", () => {
  const id = fileWith("rotated", "old");
  const credentials = new S3Credentials({ AWS_ACCESS_KEY_ID_FILE: id, AWS_SECRET_ACCESS_KEY: "secret" });
  expect(credentials.renew()).toBe(false);
  rmSync(id);
  expect(credentials.renew()).toBe(false);
  expect(credentials.key.id).toBe("old");
  writeFileSync(id, "new");
  expect(credentials.renew()).toBe(true);
  expect(credentials.key.id).toBe("new");
});
