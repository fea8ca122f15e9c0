/* Shared parts of the models: rows in an array, searched linearly. */

type StoredRow<Row> = { -readonly [Field in keyof Row]: Row[Field] }

/** Rows in insertion order. */
export class Rows<Row extends object> {
  rows: ReadonlyArray<StoredRow<Row>> = []

  /** A copy of the rows, as rows change in place. */
  all(): ReadonlyArray<Row> {
    return this.rows.map((row) => ({ ...row }))
  }

  first(matches: (row: Row) => boolean): Row | undefined {
    return this.all().find(matches)
  }

  add(row: Row): void {
    this.rows = [...this.rows, { ...row }]
  }

  /** Returns the number of deleted rows. */
  delete(matches: (row: Row) => boolean): number {
    const before = this.rows.length
    this.rows = this.rows.filter((row) => !matches(row))
    return before - this.rows.length
  }

  /** Returns the number of changed rows. */
  change(matches: (row: Row) => boolean, to: Partial<Row>): number {
    const changed = this.rows.filter(matches)
    for (const row of changed) Object.assign(row, to)
    return changed.length
  }
}

/** Sorts rows by a number, ascending. The order of ties is unspecified; the random operations create none. */
export const ascending = <Row>(rows: ReadonlyArray<Row>, by: (row: Row) => number): ReadonlyArray<Row> =>
  rows.toSorted((left, right) => by(left) - by(right))
