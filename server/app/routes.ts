import { entryRoutes } from "../accounts/entry-route.ts";
import { factorRoutes } from "../accounts/factor-route.ts";
import { memberRoutes } from "../accounts/member-route.ts";
import { selfRoutes } from "../accounts/self-route.ts";
import type { SignInTools } from "../accounts/sign-in.ts";
import { creditsRoutes } from "../agents/credits-route.ts";
import { runRoutes } from "../agents/run-route.ts";
import { type RunnerTools, runnerRoutes } from "../agents/runner-route.ts";
import { type BackupTools, backupRoutes } from "../backup/backup-route.ts";
import { boardRoutes } from "../boards/board-route.ts";
import { columnRoutes } from "../boards/column-route.ts";
import { projectRoutes } from "../boards/project-route.ts";
import { repositoryRoutes } from "../boards/repository-route.ts";
import { keyRoutes } from "../credentials/key-route.ts";
import { tokenRoutes } from "../credentials/token-route.ts";
import { railRoutes } from "../dashboard/rail-route.ts";
import { dashboardRoutes } from "../dashboard/route.ts";
import { docsRoutes } from "../docs/route.ts";
import { linkRoutes } from "../files/route.ts";
import type { Edge } from "../http/edge.ts";
import { internalNowhere, internalRoutes } from "../http/internal-route.ts";
import type { Composed } from "../http/typed.ts";
import type { IngestTools } from "../ingest/route.ts";
import type { LiveHub } from "../live/hub.ts";
import type { RecentRequests } from "../live/recent-requests.ts";
import { recentRequestRoutes } from "../live/recent-requests-route.ts";
import { liveRoutes } from "../live/route.ts";
import { mailRoutes } from "../mail/mail-route.ts";
import { mcpRoutes } from "../mcp/route.ts";
import { noticeRoutes } from "../notices/notice-route.ts";
import { documentRoutes } from "../openapi/route.ts";
import { auditRoutes } from "../organisation/audit-route.ts";
import { organisationRoutes } from "../organisation/organisation-route.ts";
import type { SetupSecrets } from "../organisation/setup-link.ts";
import { setupRoutes } from "../organisation/setup-route.ts";
import { overviewRoutes } from "../overview/overview-route.ts";
import { peopleApi } from "../people/people-api.ts";
import { peopleRoutes } from "../people/people-route.ts";
import { callbackRoutes } from "../providers/callback-route.ts";
import { providerRoutes } from "../providers/provider-route.ts";
import { signOutUrl } from "../providers/sign-out-url.ts";
import type { ReportIndex } from "../reports/report-index.ts";
import { reportRoutes } from "../reports/report-route.ts";
import { sdkRoutes } from "../sdk/route.ts";
import { searchRoutes } from "../search/search-route.ts";
import type { CardIndex } from "../tickets/card-index.ts";
import { cardRoutes } from "../tickets/card-route.ts";
import { answerTicket, type TicketRoutes } from "../tickets/route.ts";
import { deliveryRoutes } from "../webhooks/deliveries/delivery-route.ts";
import { subscriberRoutes } from "../webhooks/subscribers/subscriber-route.ts";

/** What settings pages read and change besides the store. */
type SettingsTools = Parameters<typeof subscriberRoutes>[0] &
  Parameters<typeof deliveryRoutes>[0] &
  Parameters<typeof organisationRoutes>[0] &
  Parameters<typeof mailRoutes>[0] &
  BackupTools;

/** What some routes need besides the edge, which every route is given. */
export interface RouteTools {
  ingest: IngestTools;
  setup: { secrets: SetupSecrets; done: () => Promise<void> };
  ingestUrl: string | undefined;
  live: LiveHub;
  livePosition: () => string;
  settings: SettingsTools;
  signIns: SignInTools;
  providers: Parameters<typeof providerRoutes>[0];
  recentRequests: RecentRequests;
  indexes: { cards: CardIndex; reports: ReportIndex };
  runner: RunnerTools;
}

/** Every route but the direct ones. Loaded with the first request that is for one of them. */
export function routesOf(edge: Edge, tools: RouteTools) {
  const { ingest, setup, ingestUrl, live, settings, signIns, providers, recentRequests, indexes, runner } = tools;
  return [
    runnerRoutes(edge, runner),
    peopleApi(edge, { ...ingest, sealing: settings.sealing }),
    mcpRoutes(edge, (request) => answerTicket(edge, request)),
    internalRoutes(edge, setupRoutes(setup.secrets, setup.done)),
    internalRoutes(edge, entryRoutes(edge, signIns)),
    internalRoutes(
      edge,
      selfRoutes(signIns, (session) => signOutUrl(edge.context, providers, session)),
    ),
    internalRoutes(edge, factorRoutes(edge, signIns)),
    internalRoutes(edge, memberRoutes(settings)),
    internalRoutes(edge, providerRoutes(providers)),
    callbackRoutes(edge, providers),
    internalRoutes(edge, auditRoutes),
    internalRoutes(edge, noticeRoutes),
    internalRoutes(edge, tokenRoutes),
    internalRoutes(edge, keyRoutes),
    internalRoutes(edge, repositoryRoutes),
    internalRoutes(edge, projectRoutes),
    internalRoutes(edge, boardRoutes),
    internalRoutes(edge, columnRoutes),
    internalRoutes(edge, cardRoutes),
    internalRoutes(edge, runRoutes),
    internalRoutes(edge, creditsRoutes),
    internalRoutes(edge, searchRoutes(indexes)),
    internalRoutes(edge, subscriberRoutes(settings)),
    internalRoutes(edge, deliveryRoutes(settings)),
    internalRoutes(edge, organisationRoutes(settings)),
    internalRoutes(edge, backupRoutes(settings)),
    internalRoutes(edge, mailRoutes(settings)),
    internalRoutes(edge, liveRoutes(edge, live)),
    internalRoutes(edge, recentRequestRoutes(recentRequests)),
    internalRoutes(edge, overviewRoutes({ ...settings, reader: ingest.reader })),
    internalRoutes(edge, reportRoutes({ ...ingest, index: indexes.reports })),
    internalRoutes(edge, peopleRoutes({ ...ingest, sealing: settings.sealing })),
    internalRoutes(edge, railRoutes(edge)),
    internalNowhere(edge),
    documentRoutes(edge, ingestUrl),
    docsRoutes(edge, ingestUrl),
    sdkRoutes(edge),
    linkRoutes(edge, ingest),
    dashboardRoutes(edge, tools),
  ] as const;
}

/**
 * The type of all routes, for Eden's client in the tests and in the page. Eden needs `parseDate: false`, or a title that
 * looks like a date becomes one.
 */
export type App = Composed<[TicketRoutes, ...ReturnType<typeof routesOf>]>;
