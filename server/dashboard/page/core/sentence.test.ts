import { expect, test } from "bun:test";
import { sentence } from "./sentence.ts";

test("a refusal of the command line becomes a sentence, one that is stays", () => {
  expect(sentence("this token is revoked already")).toBe("This token is revoked already.");
  expect(sentence("The password is wrong.")).toBe("The password is wrong.");
  expect(sentence("Is it?")).toBe("Is it?");
});
