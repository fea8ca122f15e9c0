import type { Hash } from "viem"

/**
 * Sends the transactions of one account one after another; the sending alone, not the waiting for a
 * receipt, so that many are under way at once.
 *
 * Each transaction takes the nonce that the chain names at that moment. Counting nonces ahead would
 * let one that is refused before it is sent leave a gap, and all that were counted after it would
 * wait for ever.
 */
export const makeSender = (): ((send: () => Promise<Hash>) => Promise<Hash>) => {
  let last: Promise<unknown> = Promise.resolve()
  return (send) => {
    const sent = last.then(send)
    // A failure is its own caller's; the next one goes on.
    last = sent.catch(() => undefined)
    return sent
  }
}
