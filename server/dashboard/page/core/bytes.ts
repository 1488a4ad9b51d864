import { CallFailed, noAnswer } from "./api.ts";

/** Loads stored bytes as text: such an answer is not a typed call. */
export async function readStored(address: string): Promise<string> {
  const response = await fetch(address).catch(() => undefined);
  if (!response) throw new CallFailed(0, "offline", noAnswer);
  if (response.ok) return response.text();
  const { error, message } = (await response.json().catch(() => ({}))) as { error?: string; message?: string };
  throw new CallFailed(response.status, error ?? "internal_error", message ?? "It could not be read.");
}
