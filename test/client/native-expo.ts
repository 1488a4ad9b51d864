import type { Case, Env } from "./cases/env.ts";
import { becomeNative, bytesAt } from "./cases/native-platform.ts";
import { nativeReports } from "./cases/native-reports.ts";
import { runCases } from "./cases/run.ts";

export const cases: Case[] = nativeReports;

/** Expo's own fetch: reads files, and refuses their addresses in a form. */
export async function run(env: Env) {
  const platformFetch = fetch;
  await platformFetch(`${env.control}/events`).then((response) => response.text());

  class ExpoFormData extends FormData {
    override append(name: string, value: string | Blob, filename?: string) {
      if (typeof value !== "string" && !(value instanceof Blob)) {
        throw new TypeError("Unsupported FormDataPart implementation");
      }
      if (typeof value === "string") super.append(name, value);
      else super.append(name, value, filename);
    }
  }
  const expoFetch = async (input: string, init: RequestInit = {}) =>
    /^(file|data):/.test(input) ? new Response(bytesAt(input)) : platformFetch(input, init);

  becomeNative({ FormData: ExpoFormData, fetch: expoFetch });
  await runCases(env, cases);
}
