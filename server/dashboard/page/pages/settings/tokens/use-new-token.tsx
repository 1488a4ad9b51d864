import { useState } from "preact/hooks";
import { api, CallFailed, done } from "../../../core/api.ts";
import { sensitive } from "../../../core/sensitive.ts";
import { clock } from "../../../core/time.ts";
import { useCreateOnce } from "../../../parts/create-once.ts";
import { Note } from "../../../parts/note.tsx";
import { listTokens, type Token } from "./token.ts";

/**
 * Creates a token and keeps its value. When the answer with the value is lost, `lost` says which token was made, and the
 * next `create` revokes that token before it makes another.
 */
export function useNewToken() {
  const [value, setValue] = useState<string>();
  const [lost, setLost] = useState<Token>();
  const once = useCreateOnce(newestTokens);

  async function create(name: string, send: () => Promise<{ token: string }>) {
    if (lost) await revoke(lost.id);
    setLost(undefined);
    const answer = await once(name, send);
    if ("made" in answer) setValue(answer.made.token);
    else setLost(answer.found);
  }

  return {
    value,
    create,
    verb: lost && "Revoke it and create another",
    note: lost && (
      <Note>
        A token named <b dir="auto">{lost.name}</b> was created at {clock(lost.createdAt)}; its text was not shown.
        Revoke it and create another?
      </Note>
    ),
  };
}

/** The newest active tokens: the list begins with them. */
async function newestTokens(): Promise<Token[]> {
  return (await listTokens({ state: "active" })).items;
}

/** Revokes a token, also one whose revocation was made before and its answer lost. */
async function revoke(id: string) {
  try {
    await sensitive(() => done(api.tokens({ id }).delete()));
  } catch (error) {
    if (!(error instanceof CallFailed) || error.code !== "conflict") throw error;
  }
}
