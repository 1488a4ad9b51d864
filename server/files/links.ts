import { timingSafeEqual } from "node:crypto";
import type { Sealing } from "../core/sealing.ts";

/** What a link leads to: an attachment by its number, or the envelope. */
export type Linked = number | "envelope";

/**
 * Links that are capabilities: whoever has one may read one file of one event, for as long as the event lives. The code
 * in it is an HMAC, so nothing is stored for it.
 */
export class Links {
  readonly #sealing: Sealing;

  constructor(sealing: Sealing) {
    this.#sealing = sealing;
  }

  /** Without the address in front of it. */
  pathOf(eventId: string, what: Linked): string {
    return `/files/${eventId}/${what}/${this.#sealing.linkCode(`${eventId}/${what}`)}`;
  }

  /** In constant time. */
  isValid(eventId: string, what: Linked, code: string): boolean {
    const wanted = Buffer.from(this.#sealing.linkCode(`${eventId}/${what}`));
    const given = Buffer.from(code);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }
}
