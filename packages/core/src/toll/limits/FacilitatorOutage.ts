const everyMillis = 60_000

/** Counts the payments that no facilitator could verify, to report them at most once a minute. */
export class FacilitatorOutage {
  private failed = 0
  private reportedMillis = Number.NEGATIVE_INFINITY

  /** Counts a failure. Returns how many there were since the last report; `undefined`: it is too early for the next. */
  note(nowMillis: number): number | undefined {
    this.failed++
    if (nowMillis - this.reportedMillis < everyMillis) return undefined
    const { failed } = this
    this.failed = 0
    this.reportedMillis = nowMillis
    return failed
  }
}
