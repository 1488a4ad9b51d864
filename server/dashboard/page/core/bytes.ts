import { CallFailed, failureIn, noAnswer } from "./api.ts";
import { jsonIn } from "./calls.ts";

/** Loads a stored file as text: such an answer is not a typed call. */
export async function readStored(address: string): Promise<string> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(address);
    text = await response.text();
  } catch {
    throw new CallFailed(0, "offline", noAnswer);
  }
  // Every file of Intake's has a name. A page to sign in, which a proxy answers with success, has none.
  if (response.ok && response.headers.has("content-disposition")) return text;
  throw failureIn(response, jsonIn(text));
}
