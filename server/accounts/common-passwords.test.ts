import { expect, test } from "bun:test";
import { isCommonPassword } from "./common-passwords.ts";

test("stretched common words, rows of keys and repetitions are common", () => {
  const common = [
    "password1234",
    "Passw0rd!2345",
    "P@ssw0rdP@ssw0rd",
    "passwordpassword",
    "iloveyou1234",
    "adminadmin123",
    "welcome2intake",
    "Summer2026!!!",
    "my secret password",
    "123456789012",
    "0987654321098",
    "1234 5678 9012",
    "aaaaaaaaaaaa",
    "ababababababab",
    "abcabcabcabc",
    "abcdefghijkl",
    "lkjhgfdsapoi",
    "qwertyuiop12",
    "1q2w3e4r5t6y",
  ];
  expect(common.filter((password) => !isCommonPassword(password))).toEqual([]);
});

test("what people and managers make up is not", () => {
  const fine = [
    "correct horse battery",
    "tractor lemon seven",
    "xK9#mQ2$vL5p",
    "839201748392",
    "ééééééüüüüü!",
    "пароль пароль 7",
    "Dienstag kein Kaffee",
    "9#$%^&*(4)a!",
    "kayak-orbit-tulip",
  ];
  expect(fine.filter(isCommonPassword)).toEqual([]);
});
