import { version } from "../../../../client/src/core/version.ts";

/** What installs the SDK. The server has its package: it is on no registry, where anybody could take its name. */
export function installSdk(publicUrl: string): string {
  return `npm install ${publicUrl}/sdk/intake-client-${version}.tgz`;
}
