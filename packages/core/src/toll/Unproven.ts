import type { Call } from "./Call.ts"

/**
 * Calls whose signature only the chain can judge, a contract wallet's, by the payer that they name. Anybody can
 * name anybody until the facilitator has looked, so these take half of a payer's room at most: the other
 * half is for payments that are known to be the payer's own.
 */
export class Unproven {
  private readonly callsByPayer = new Map<string, Set<Call>>()
  private readonly maxPerPayer: number

  constructor(maxPerPayer: number) {
    this.maxPerPayer = maxPerPayer
  }

  /** Counts a call; `false` where there is no room. Again for the same call changes nothing. */
  enter(call: Call): boolean {
    const { payer } = call
    const calls = this.callsByPayer.get(payer)
    if (calls === undefined) {
      this.callsByPayer.set(payer, new Set([call]))
      return true
    }
    if (calls.has(call)) return true
    if (calls.size >= this.maxPerPayer) return false
    calls.add(call)
    return true
  }

  leave(call: Call): void {
    const { payer } = call
    const calls = this.callsByPayer.get(payer)
    if (calls?.delete(call) === true && calls.size === 0) this.callsByPayer.delete(payer)
  }
}
