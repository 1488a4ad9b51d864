import type { Document, Server } from "../model/openapi.ts";

/** Where an installation answers, without trailing slash. */
export interface Addresses {
  publicUrl: string;
  /** Where apps send reports; usually the public URL. */
  ingestUrl: string;
}

/** The addresses of a server that was started without a public URL. */
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

/**
 * A document with other addresses than the usual ones. In 3.0 no operation has servers of its own: tools of that version
 * take those before the address that their caller gives. There, another address for reports stands behind the first one.
 */
export function addressed(document: Document, addresses: Addresses): Document {
  const { publicUrl, ingestUrl } = addresses;
  if (document.openapi.startsWith("3.0")) {
    const others = ingestUrl === publicUrl ? [] : reportServers(addresses);
    return { ...document, servers: [...servers(addresses), ...others] };
  }
  const paths = Object.entries(document.paths).map(([path, methods]) => {
    const operations = Object.entries(methods).map(([method, operation]) => {
      const servers = ownServers[operation.operationId]?.(addresses);
      return [method, servers ? { ...operation, servers } : operation];
    });
    return [path, Object.fromEntries(operations)];
  });
  return { ...document, servers: servers(addresses), paths: Object.fromEntries(paths) };
}

/** Operations that may have another address than the rest. */
const ownServers: Record<string, (addresses: Addresses) => Server[]> = {
  createTicket: ticketServers,
  submitReport: reportServers,
};
