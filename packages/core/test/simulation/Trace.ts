/** Maximum number of lines: far more than a run has. */
const maxLines = 20_000

/** The events of a run, line by line. Two runs of one seed have the same trace. */
export class Trace {
  private readonly entries: Array<readonly [atMillis: number, who: string, what: string]> = []
  private readonly startMillis: number

  constructor(startMillis: number) {
    this.startMillis = startMillis
  }

  add(atMillis: number, who: string, what: string): void {
    if (this.entries.length < maxLines) this.entries.push([atMillis, who, what])
  }

  get length(): number {
    return this.entries.length
  }

  /** One line per event: seconds since the start of the run, actor, message. */
  toString(): string {
    return this.entries
      .map(
        ([atMillis, who, what]) =>
          `${((atMillis - this.startMillis) / 1000).toFixed(3).padStart(9)} ${who.padEnd(4)} ${what}`
      )
      .join("\n")
  }
}
