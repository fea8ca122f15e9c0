/** Counts what is under way, and waits for its end. */
export class Drain {
  private count = 0
  private onEmpty: (() => void) | undefined

  enter(): void {
    this.count++
  }

  leave(): void {
    this.count--
    if (this.count === 0) this.onEmpty?.()
  }

  /** Resolves once nothing is under way, and after `millis` at the latest. */
  async empty(millis: number): Promise<void> {
    if (this.count === 0) return
    let timer: ReturnType<typeof setTimeout> | undefined
    await new Promise<void>((resolve) => {
      this.onEmpty = resolve
      timer = setTimeout(resolve, millis)
    })
    clearTimeout(timer)
  }
}
