/** Longest read that is waited for. An audit of a large ledger takes minutes. */
const longestMillis = 5 * 60_000

/** Something that takes a while to read: it is read once at a time, and kept for a while, however many ask. */
export class Shared<A> {
  private latest: Promise<A> | undefined
  private untilMillis = 0
  private readonly keepMillis: number
  private readonly now: () => Date
  private readonly load: (at: Date) => Promise<A>
  private readonly maxMillis: number

  /**
   * @param keepMillis counts from the end of a read; one that fails is kept as long
   * @param maxMillis then a read fails, so that one that never ends doesn't block those after it
   */
  constructor(
    keepMillis: number,
    now: () => Date,
    load: (at: Date) => Promise<A>,
    maxMillis: number = longestMillis
  ) {
    this.keepMillis = keepMillis
    this.now = now
    this.load = load
    this.maxMillis = maxMillis
  }

  readonly read = (): Promise<A> => {
    const at = this.now()
    if (this.latest !== undefined && at.getTime() < this.untilMillis) return this.latest
    this.untilMillis = Number.POSITIVE_INFINITY
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new Error("A read for the console took too long")), this.maxMillis)
    this.latest = Promise.race([this.load(at), late]).finally(() => {
      clearTimeout(timer)
      this.untilMillis = this.now().getTime() + this.keepMillis
    })
    return this.latest
  }
}
