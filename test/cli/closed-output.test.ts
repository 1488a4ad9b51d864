import { expect, setDefaultTimeout, test } from "bun:test";
import { binaryPath } from "../support/binary.ts";
import { runUnread } from "../support/closed-output.ts";
import { databaseEnvironment } from "../support/databases.ts";
import { attachment, envelope, newSdkKey, received } from "../support/ingest.ts";
import { describeTargets } from "../support/targets.ts";

setDefaultTimeout(180_000);

describeTargets(
  "a command whose output nobody reads any more ends quietly",
  (target) => {
    test("whatever it prints", async () => {
      const { key } = await newSdkKey(target().installation);
      const parts = [envelope(), attachment("x".repeat(200_000))];
      const { eventId } = await received(target(), { key, parts });
      const commands = [
        ["openapi"],
        ["help"],
        ["token", "--help"],
        ["version"],
        ["token", "list", "--json"],
        ["board", "list"],
        ["event", "attachment", eventId, "0", "--output", "-"],
      ];
      for (const command of commands) {
        const data = command.includes("list") || command[0] === "event" ? ["--data", target().installation.folder] : [];
        const ended = await runUnread(
          [binaryPath, ...command, ...data],
          databaseEnvironment(target().installation.folder),
        );
        expect([command, ended]).toEqual([command, { code: 0, stdout: "", stderr: "" }]);
      }
    });
  },
  ["compiled binary"],
);
