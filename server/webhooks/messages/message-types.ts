/** Types of messages that a subscriber can ask for; the first is what it is told of when nothing else is said. */
export const messageTypes = ["report.received", "agent_run.updated"] as const;
export type MessageType = (typeof messageTypes)[number];
