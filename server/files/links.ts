import { timingSafeEqual } from "node:crypto";
import type { Sealing } from "../core/sealing.ts";

/** The file of an event that a link leads to: the envelope, or an attachment by its number. */
export type Linked = number | "envelope";

/**
 * Signed links to files. Whoever has a link may read its one file for as long as the event lives. A link's code is an
 * HMAC, so nothing is stored for it.
 */
export class Links {
  readonly #sealing: Sealing;

  constructor(sealing: Sealing) {
    this.#sealing = sealing;
  }

  /** The path of a link, without the public URL. */
  pathOf(eventId: string, what: Linked): string {
    return `/files/${eventId}/${what}/${this.#sealing.linkCode(`${eventId}/${what}`)}`;
  }

  /** Whether a link's code is right, compared in constant time. */
  isValid(eventId: string, what: Linked, code: string): boolean {
    const wanted = Buffer.from(this.#sealing.linkCode(`${eventId}/${what}`));
    const given = Buffer.from(code);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }
}
