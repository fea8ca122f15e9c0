/** Something that takes a while to read: it is read once at a time, and kept for a while, however many ask. */
export class Shared<A> {
  private latest: Promise<A> | undefined
  private untilMillis = 0
  private readonly keepMillis: number
  private readonly now: () => Date
  private readonly load: (at: Date) => Promise<A>

  /** @param keepMillis counts from the end of a read; one that fails is kept as long */
  constructor(keepMillis: number, now: () => Date, load: (at: Date) => Promise<A>) {
    this.keepMillis = keepMillis
    this.now = now
    this.load = load
  }

  readonly read = (): Promise<A> => {
    const at = this.now()
    if (this.latest !== undefined && at.getTime() < this.untilMillis) return this.latest
    this.untilMillis = Number.POSITIVE_INFINITY
    this.latest = this.load(at).finally(() => {
      this.untilMillis = this.now().getTime() + this.keepMillis
    })
    return this.latest
  }
}
