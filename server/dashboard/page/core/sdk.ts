import { version } from "../../../../client/src/core/version.ts";

/**
 * The command that installs the SDK from this server. The package is on no registry, where anybody could take its name.
 */
export function installSdk(publicUrl: string): string {
  return `npm install ${publicUrl}/sdk/intake-client-${version}.tgz`;
}
