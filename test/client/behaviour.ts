import { attachmentBehaviour } from "./cases/attachment-behaviour.ts";
import type { Case } from "./cases/env.ts";
import { reportBehaviour } from "./cases/report-behaviour.ts";
import { ticketBehaviour } from "./cases/ticket-behaviour.ts";

/** What the client has to do with the compiled binary. */
export const cases: Case[] = [...ticketBehaviour, ...reportBehaviour, ...attachmentBehaviour];
