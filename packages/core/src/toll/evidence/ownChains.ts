import type { Chain } from "./Chain.ts"

/** The chains that this package has made: their reads have deadlines and results of their own. */
const made = new WeakSet<Chain["Service"]>()

export const ownChain = (chain: Chain["Service"]): Chain["Service"] => {
  made.add(chain)
  return chain
}

export const isOwnChain = (chain: Chain["Service"]): boolean => made.has(chain)
