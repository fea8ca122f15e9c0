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

/** Networks whose chain can't be read now: what needs its proof isn't offered there. */
export class UnreadNetworks extends WithdrawnNetworks {
  /** Those of them that were never read: without their newest block, no payment is accepted, so nothing is offered there. */
  readonly never = new WithdrawnNetworks()
}
