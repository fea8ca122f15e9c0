/**
 * Networks that aren't offered at present, because no facilitator settles there or their chain can't be read. Charges that
 * exist go on there.
 */
export class WithdrawnNetworks {
  /** CAIP-2 identifiers. Replaced as a whole, so that its identity tells whether it changed. */
  current: ReadonlySet<string> = new Set()

  /** Returns whether anything changed. */
  replace(next: ReadonlySet<string>): boolean {
    const isSame = next.size === this.current.size && [...next].every((caip2) => this.current.has(caip2))
    if (!isSame) this.current = next
    return !isSame
  }
}
