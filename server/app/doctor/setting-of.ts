import type { Reader } from "../../core/store.ts";

export async function settingOf(reader: Reader, name: string, usual: number): Promise<number> {
  const row = await reader.one<{ value: string }>("select value from setting where name = $1", [name]);
  return row ? Number(row.value) : usual;
}
