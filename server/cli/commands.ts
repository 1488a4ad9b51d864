import { auditCommands } from "./audit.ts";
import { backupCommands } from "./backup.ts";
import { boardCommands, columnCommands } from "./board.ts";
import { clockCommands } from "./clock.ts";
import type { Command } from "./command.ts";
import { completionCommand } from "./completion.ts";
import { creditsCommands } from "./credits.ts";
import { dbCommands } from "./db.ts";
import { doctorCommand } from "./doctor.ts";
import { eventCommands } from "./event.ts";
import { healthcheckCommand } from "./healthcheck.ts";
import { initCommand } from "./init.ts";
import { keyCommands } from "./key.ts";
import { mailCommands } from "./mail.ts";
import { manCommand } from "./man.ts";
import { mcpCommand } from "./mcp.ts";
import { memberCommands } from "./member.ts";
import { migrateCommands } from "./migrate.ts";
import { noticeCommands } from "./notice.ts";
import { openapiCommand } from "./openapi.ts";
import { personCommands } from "./person.ts";
import { projectCommands } from "./project.ts";
import { providerCommands } from "./provider.ts";
import { repositoryCommands } from "./repository.ts";
import { runCommands } from "./run.ts";
import { runnerCommand } from "./runner.ts";
import { serveCommand } from "./serve.ts";
import { settingsCommands } from "./settings.ts";
import { subscriberCommands } from "./subscriber.ts";
import { supportBundleCommand } from "./support-bundle.ts";
import { ticketCommands } from "./ticket.ts";
import { tokenCommands } from "./token.ts";
import { upgradeCommands } from "./upgrade.ts";
import { versionCommand } from "./version.ts";

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  serveCommand,
  initCommand,
  ...ticketCommands,
  ...tokenCommands,
  ...eventCommands,
  ...personCommands,
  ...keyCommands,
  ...subscriberCommands,
  ...projectCommands,
  ...boardCommands,
  ...columnCommands,
  ...memberCommands,
  ...providerCommands,
  ...repositoryCommands,
  ...runCommands,
  ...creditsCommands,
  runnerCommand,
  ...settingsCommands,
  ...mailCommands,
  ...clockCommands,
  ...auditCommands,
  ...noticeCommands,
  ...backupCommands,
  ...migrateCommands,
  ...upgradeCommands,
  ...dbCommands,
  mcpCommand,
  openapiCommand,
  doctorCommand,
  supportBundleCommand,
  healthcheckCommand,
  completionCommand,
  manCommand,
  versionCommand,
];
