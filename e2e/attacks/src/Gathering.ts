/** Holds callers back until enough have arrived, or none has arrived for a while. */
export class Gathering {
  private come = 0
  private readonly expected: number
  private readonly quietMillis: number
  private timer: NodeJS.Timeout | undefined
  private release: () => void = () => undefined
  private readonly released: Promise<void>

  constructor(expected: number, quietMillis: number) {
    this.expected = expected
    this.quietMillis = quietMillis
    this.released = new Promise((resolve) => {
      this.release = resolve
    })
  }

  /** Resolves when the gathering is complete. */
  async arrive(): Promise<void> {
    this.come++
    clearTimeout(this.timer)
    if (this.come >= this.expected) this.release()
    else this.timer = setTimeout(this.release, this.quietMillis)
    await this.released
  }
}
