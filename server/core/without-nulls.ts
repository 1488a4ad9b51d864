/** The members of a value that are not null. */
export function withoutNulls<T extends object>(value: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null)) as {
    [Name in keyof T]?: NonNullable<T[Name]>;
  };
}
