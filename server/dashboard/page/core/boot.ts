import { computed, signal } from "@preact/signals";
import type { Boot } from "../../boot.ts";

export type { BootProject } from "../../boot.ts";

/** Who is signed in, and what the navigation shows: sent with the document and loaded again on changes. */
export const boot = signal<Boot>(JSON.parse(document.getElementById("boot")?.textContent ?? "{}") as Boot);

export const isAdmin = computed(() => boot.value.member?.role === "admin");
