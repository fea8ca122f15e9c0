/** A port that a till can't tell from a host's own: it calls a fake, and has none of its marks. */
export const ownPort = <Port extends object>(fake: Port): Port =>
  Object.fromEntries(
    Object.entries(fake).map(([name, member]) => [
      name,
      typeof member === "function" ? (...given: ReadonlyArray<unknown>) => member(...given) : member
    ])
  ) as Port
