import { codesOf, errorSchemaName, sentenceOf } from "../components/error-schemas.ts";
import { type HeaderName, headerReferences } from "../components/headers.ts";
import { type Answer, type Example, reference } from "../model/openapi.ts";
import { type ErrorCode, errors } from "../schema/errors.ts";
import type { OperationId } from "../schema/operations.ts";

/** Headers of every answer to a request whose credential is known. */
export const limited = ["X-Request-Id", "RateLimit", "RateLimit-Policy"] as const satisfies HeaderName[];

/**
 * The error answers of an operation, by status. `special` are examples of codes whose body has more than the code and
 * its message.
 */
export function refusals(
  operation: OperationId,
  special: Partial<Record<ErrorCode, Record<string, Example>>> = {},
): Record<string, Answer> {
  const answers: Record<string, Answer> = {};
  for (const [status, codes] of codesOf(operation)) {
    const examples = codes.map((code) => special[code] ?? { [code]: example(operation, code) });
    answers[status] = {
      description: codes.map((code) => `\`${code}\`: ${sentenceOf(operation, code)}`).join("\n\n"),
      headers: headerReferences(headersOf(status)),
      content: {
        "application/json": {
          schema: reference(errorSchemaName(operation, status)),
          examples: Object.assign({}, ...examples) as Record<string, Example>,
        },
      },
    };
  }
  return answers;
}

/**
 * Answers that every request may get before it reaches an operation, and therefore without a body. Only operations
 * without other refusals name them: beside answers with a body, one without a body removes the types from generated
 * code.
 */
export const headersTooLarge: Answer = {
  description: "The headers of the request have more than 16 KiB. There is no body.",
};

function example(operation: OperationId, code: ErrorCode): Example {
  const { status } = errors[code];
  const message = sentenceOf(operation, code);
  // The body of a 401 has one member: it is the same for every cause.
  return { summary: message, value: status === 401 ? { error: code } : { error: code, message } };
}

function headersOf(status: number): HeaderName[] {
  switch (status) {
    case 401:
      return ["X-Request-Id", "WWW-Authenticate"];
    case 403:
      return [...limited, "WWW-Authenticate"];
    case 415:
      return [...limited, "Accept", "Accept-Encoding"];
    case 429:
    case 503:
      return [...limited, "Retry-After"];
    default:
      return [...limited];
  }
}
