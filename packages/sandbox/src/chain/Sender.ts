import type { Hash } from "viem"

/**
 * Sends an account's transactions one after another, without waiting for receipts.
 *
 * Each transaction uses the chain's current nonce. With nonces counted ahead, a transaction refused before
 * sending would leave a gap that blocks all later ones.
 */
export const makeSender = (): ((send: () => Promise<Hash>) => Promise<Hash>) => {
  let last: Promise<unknown> = Promise.resolve()
  return (send) => {
    const sent = last.then(send)
    // A failure affects only its own caller.
    last = sent.catch(() => undefined)
    return sent
  }
}
