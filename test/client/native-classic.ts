import type { Case, Env } from "./cases/env.ts";
import { becomeNative, bytesAt } from "./cases/native-platform.ts";
import { nativeReports } from "./cases/native-reports.ts";
import { runCases } from "./cases/run.ts";

export const cases: Case[] = nativeReports;

/** React Native as it has been for years: forms of texts and addresses of files, no way to read a file's bytes. */
export async function run(env: Env) {
  const platformFetch = fetch;
  const PlatformFormData = FormData;
  await platformFetch(`${env.control}/events`).then((response) => response.text());

  interface Address {
    uri: string;
    name: string;
    type: string;
  }
  class ClassicFormData {
    readonly parts: [string, string | Address][] = [];
    append(name: string, value: string | Address) {
      if (typeof value !== "string" && typeof value?.uri !== "string") throw new TypeError("no address of a file");
      this.parts.push([name, value]);
    }
  }
  const encode = ({ parts }: ClassicFormData) => {
    const form = new PlatformFormData();
    for (const [name, value] of parts) {
      if (typeof value === "string") form.append(name, value);
      else form.append(name, new Blob([bytesAt(value.uri)], { type: value.type }), value.name);
    }
    return form;
  };
  const classicFetch = async (input: string, init: RequestInit = {}) => {
    if (/^(file|data):/.test(input)) return { arrayBuffer: () => Promise.reject(new Error("not implemented")) };
    const body: unknown = init.body;
    return platformFetch(input, body instanceof ClassicFormData ? { ...init, body: encode(body) } : init);
  };

  becomeNative({ FormData: ClassicFormData, fetch: classicFetch }, ["TextDecoder"]);
  await runCases(env, cases);
}
