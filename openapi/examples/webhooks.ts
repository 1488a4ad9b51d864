import type { Static } from "@sinclair/typebox";
import type {
  AgentRunUpdated,
  AuditRecorded,
  NoticeCleared,
  NoticeRaised,
  ReportReceived,
  WebhookTest,
} from "../schema/webhooks.ts";
import { endedRun } from "./runner.ts";

const eventId = "019a9c1e-6d04-7d21-9e66-8c4fbf02f2a5";
const timestamp = "2026-11-21T12:30:00.412Z";
const projectId = "019a9c1e-0a11-7c3e-8f0d-3b1d4f6a7b10";

const notice = {
  id: "019a9c1e-6d07-7d5e-a2b3-1f0e9d8c7b6a",
  rule: "disk_low",
  level: "error",
  title: "The disk is nearly full",
  text: "9 % of the disk is free.",
  remedy: "Make room on the disk, or keep less: retention_days and retention_bytes in the settings.",
  subject: null,
  name: null,
  projectId: null,
  raisedAt: timestamp,
  clearedAt: null,
  times: 1,
  url: "https://intake.example.org/settings/organisation",
};

/** Messages by the names of their schemas. */
export const messages = {
  ReportReceived: {
    type: "report.received",
    timestamp,
    data: {
      eventId,
      projectId,
      reportType: "feedback",
      title: null,
      level: null,
      occurredAt: null,
      receivedAt: timestamp,
      url: `https://intake.example.org/reports/${eventId}`,
      attachments: [
        {
          id: "019a9c1e-6d05-7b9a-a3c2-5f0e1d2c3b4a",
          filename: "screen.png",
          contentType: "image/png",
          size: 48_211,
          sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
          url: `https://intake.example.org/files/${eventId}/0/Zk3vQ1x8uT5sY0bN7cR2dW6eA9fH4gJm`,
        },
      ],
      envelope: { type: "feedback", message: "The button at the bottom cannot be reached." },
    },
  },
  WebhookTest: { type: "webhook.test", timestamp, data: { subscriberId: "019a9c1e-0b22-7e4f-9a1b-2c3d4e5f6a7b" } },
  AgentRunUpdated: { type: "agent_run.updated", timestamp, data: endedRun },
  AuditRecorded: {
    type: "audit.recorded",
    timestamp,
    data: {
      id: "019a9c1e-6d06-7c4d-b1a2-0e9f8d7c6b5a",
      at: timestamp,
      actor: "Ada",
      actorKind: "member",
      actorId: "019a9c1e-0c33-7f50-8d2e-4a5b6c7d8e9f",
      action: "token.update",
      object: "token 019a9c1e-0d44-7a61-9e3f-5b6c7d8e9f0a",
      from: { name: "CI" },
      to: { name: "Nightly CI" },
      network: "192.0.2.0/24",
      requestId: "019a9c1e-6d06-7c4d-b1a2-0e9f8d7c6b59",
    },
  },
  NoticeRaised: { type: "notice.raised", timestamp, data: notice },
  NoticeCleared: {
    type: "notice.cleared",
    timestamp: "2026-11-21T13:30:02.101Z",
    data: { ...notice, clearedAt: "2026-11-21T12:52:10.007Z" },
  },
} satisfies {
  ReportReceived: Static<typeof ReportReceived>;
  WebhookTest: Static<typeof WebhookTest>;
  AgentRunUpdated: Static<typeof AgentRunUpdated>;
  AuditRecorded: Static<typeof AuditRecorded>;
  NoticeRaised: Static<typeof NoticeRaised>;
  NoticeCleared: Static<typeof NoticeCleared>;
};
