import { closeFaults } from "./cases/close-faults.ts";
import type { Case } from "./cases/env.ts";
import { queueFaults } from "./cases/queue-faults.ts";
import { reportFaults } from "./cases/report-faults.ts";
import { reportForm } from "./cases/report-form.ts";
import { retryAfter } from "./cases/retry-after.ts";
import { storeFaults } from "./cases/store-faults.ts";
import { ticketAborts } from "./cases/ticket-aborts.ts";
import { ticketAnswers } from "./cases/ticket-answers.ts";
import { ticketConnections } from "./cases/ticket-connections.ts";
import { ticketSecrets } from "./cases/ticket-secrets.ts";
import { ticketTries } from "./cases/ticket-tries.ts";

/** How the client handles a server that refuses, lies, stalls and cuts connections. */
export const cases: Case[] = [
  ...retryAfter,
  ...ticketTries,
  ...ticketConnections,
  ...ticketAnswers,
  ...ticketSecrets,
  ...ticketAborts,
  ...reportFaults,
  ...reportForm,
  ...queueFaults,
  ...storeFaults,
  ...closeFaults,
];
