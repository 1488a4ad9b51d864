import { computed, signal } from "@preact/signals";
import type { Boot } from "../../boot.ts";

export type { BootProject } from "../../boot.ts";

/** Who looks, and what the rail shows: came with the page, and is fetched again when it changed. */
export const boot = signal<Boot>(JSON.parse(document.getElementById("boot")?.textContent ?? "{}") as Boot);

export const isAdmin = computed(() => boot.value.member?.role === "admin");
