/** Types of messages that a subscriber may ask for; the first is the default. */
export const messageTypes = [
  "report.received",
  "agent_run.updated",
  "audit.recorded",
  "notice.raised",
  "notice.cleared",
] as const;
/** Messages about notices: that they fail raises no further notice, or there would be no end. */
export const noticeMessageTypes = ["notice.raised", "notice.cleared"] as const satisfies readonly MessageType[];
export type MessageType = (typeof messageTypes)[number];
