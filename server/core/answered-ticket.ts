/** A request for a ticket that was answered with one. */
export interface AnsweredTicket {
  tokenId: string;
  projectId: string;
  replayed: boolean;
  mismatch: boolean;
}
