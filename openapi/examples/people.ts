import type { Example } from "../model/openapi.ts";
import { errors } from "../schema/errors.ts";
import type {
  DeletedPerson,
  DeletePerson,
  ExportPerson,
  FoundPerson,
  PersonQuery,
  PersonReports,
} from "../schema/people.ts";

const ada = { by: "user.email", value: "ada@example.org" } as const;
const eventId = "019a9c1e-6d04-7d21-9e66-8c4fbf02f2a5";
const receivedAt = "2026-11-21T12:30:00.412Z";

export const findRequests = {
  email: { summary: "By the e-mail address in reports", value: ada satisfies PersonQuery },
};

export const findAnswers = {
  found: {
    summary: "Two reports, one of them with an attachment",
    value: {
      code: "5f2c1d9e8b7a60413f2e",
      reports: 2,
      attachments: 1,
      bytes: 48_730,
      deliveries: 0,
      cards: 0,
      oldest: "2026-11-20T08:02:11.090Z",
      newest: receivedAt,
    } satisfies FoundPerson,
  },
};

export const exportRequests = { first: { summary: "The first page", value: ada satisfies ExportPerson } };

export const exportAnswers = {
  page: {
    summary: "The only page",
    value: {
      items: [
        {
          id: eventId,
          receivedAt,
          attachments: [],
          envelope: { type: "feedback", user: { email: ada.value } },
        },
      ],
      next: null,
    } satisfies PersonReports,
  },
};

export const deleteRequests = {
  found: { summary: "As many as were found", value: { ...ada, reports: 2 } satisfies DeletePerson },
};

export const deleteAnswers = {
  all: { summary: "All of them are gone", value: { deleted: 2, left: 0 } satisfies DeletedPerson },
};

export const invalidPerson: Example = {
  summary: "Every fault of the body is named",
  value: {
    error: "invalid_input",
    message: errors.invalid_input.message,
    details: [{ path: "/value", code: "too_short", message: "value must have at least 1 character." }],
  },
};

export const tooManyReports: Example = {
  summary: "The value is not one person's",
  value: {
    error: "conflict",
    message:
      "More than 20,000 reports have this value, so it is hardly one person's. intake person, on the command line, has no such bound.",
  },
};

export const otherCount: Example = {
  summary: "There are more or fewer reports than expected",
  value: { error: "conflict", message: "There are 2 reports of this person, not 3. Look again first." },
};
