/*
 * What the models of the stores are made of: rows in an array, looked through from the first to the last.
 */

type Written<Row> = { -readonly [Field in keyof Row]: Row[Field] }

/** Rows in the order in which they were written. */
export class Rows<Row extends object> {
  rows: ReadonlyArray<Written<Row>> = []

  /** A copy of what is there: rows change in place. */
  all(): ReadonlyArray<Row> {
    return this.rows.map((row) => ({ ...row }))
  }

  first(matches: (row: Row) => boolean): Row | undefined {
    return this.all().find(matches)
  }

  add(row: Row): void {
    this.rows = [...this.rows, { ...row }]
  }

  /** Answers how many were deleted. */
  delete(matches: (row: Row) => boolean): number {
    const before = this.rows.length
    this.rows = this.rows.filter((row) => !matches(row))
    return before - this.rows.length
  }

  /** Answers how many were changed. */
  change(matches: (row: Row) => boolean, to: Partial<Row>): number {
    const changed = this.rows.filter(matches)
    for (const row of changed) Object.assign(row, to)
    return changed.length
  }
}

/** Rows by a number, the smallest first. Ties are nobody's promise: the verbs said here make none. */
export const ascending = <Row>(rows: ReadonlyArray<Row>, by: (row: Row) => number): ReadonlyArray<Row> =>
  rows.toSorted((left, right) => by(left) - by(right))
