/** The headings under which the page shows settings, in their order. */
export const settingGroups = [
  "Address",
  "What is kept",
  "Backups",
  "Notices",
  "Privacy",
  "Sign-in",
  "Agent",
  "Limits",
  "Mail",
] as const;
export type SettingGroup = (typeof settingGroups)[number];
