/** Version of the package; a test keeps it equal to the one in package.json. */
export const version = "0.1.0";

/** Name of the SDK in the header `X-Intake-Sdk` and in the envelopes of reports. */
export const sdkName = "@intake/client";
