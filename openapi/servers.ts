import type { Document, Operation, Server } from "./openapi.ts";

/** Where an installation answers, without trailing slash. */
export interface Addresses {
  publicUrl: string;
  /** Where apps send reports; mostly the public URL too. */
  ingestUrl: string;
}

/** Those of a server that was started without a word about them. */
const usual: Addresses = { publicUrl: "http://127.0.0.1:3000", ingestUrl: "http://127.0.0.1:3000" };

export function servers({ publicUrl }: Addresses = usual): Server[] {
  return [{ url: publicUrl, description: "Where this installation answers." }];
}

export function ticketServers({ publicUrl }: Addresses = usual): Server[] {
  return [{ url: publicUrl, description: "Where tickets are created." }];
}

export function reportServers({ ingestUrl }: Addresses = usual): Server[] {
  return [{ url: ingestUrl, description: "Where apps send reports." }];
}

/** A document with other addresses than the usual ones. */
export function addressed(document: Document, addresses: Addresses): Document {
  const paths = Object.entries(document.paths).map(([path, methods]) => {
    const operations = Object.entries(methods).map(([method, operation]) => {
      const own = ownServers(operation, addresses);
      return [method, own ? { ...operation, servers: own } : operation];
    });
    return [path, Object.fromEntries(operations)];
  });
  return { ...document, servers: servers(addresses), paths: Object.fromEntries(paths) };
}

function ownServers({ operationId, servers }: Operation, addresses: Addresses) {
  if (operationId === "createTicket" && servers) return ticketServers(addresses);
  if (operationId !== "submitReport") return undefined;
  if (servers) return reportServers(addresses);
  // Without servers of its own, only the one address of the document is there to be wrong.
  return addresses.ingestUrl === addresses.publicUrl ? undefined : reportServers(addresses);
}
