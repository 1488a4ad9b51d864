/** Types of messages that a subscriber may ask for; the first is the default. */
export const messageTypes = ["report.received", "agent_run.updated"] as const;
export type MessageType = (typeof messageTypes)[number];
