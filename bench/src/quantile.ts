/** The value that a share of all values doesn't exceed. */
export const quantile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((left, right) => left - right)[Math.max(0, Math.ceil(values.length * share) - 1)] ??
  Number.NaN

export const median = (values: ReadonlyArray<number>): number => quantile(values, 0.5)
