import type { Draft, Part } from "./draft.ts";

export interface Sent {
  status: number;
  milliseconds: number;
  headers: [name: string, value: string][];
  text: string;
}

/** Sends the request of the form. Nothing of it is stored, and the browser adds no cookie. */
export async function send({ method, url, headers, body }: Draft, credential: string): Promise<Sent> {
  const content = body?.kind === "form" ? await formOf(body.parts) : body?.text;
  const started = performance.now();
  const response = await fetch(url, {
    method,
    credentials: "omit",
    cache: "no-store",
    redirect: "error",
    headers: {
      ...headers,
      ...(credential === "" ? {} : { authorization: `Bearer ${credential}` }),
      ...(body?.kind === "json" ? { "content-type": "application/json" } : {}),
    },
    ...(content === undefined ? {} : { body: content }),
  });
  const text = await response.text();
  const milliseconds = performance.now() - started;
  return { status: response.status, milliseconds, headers: [...response.headers], text };
}

async function formOf(parts: readonly Part[]): Promise<FormData> {
  const form = new FormData();
  for (const { name, file, gzip } of parts) {
    form.append(name, gzip ? await packed(file) : file, file.name);
  }
  return form;
}

async function packed(file: File): Promise<Blob> {
  const bytes = await new Response(file.stream().pipeThrough(new CompressionStream("gzip"))).blob();
  return new Blob([bytes], { type: file.type });
}
