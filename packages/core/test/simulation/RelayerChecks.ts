import { nonceKey } from "./chain/Calls.ts"
import type { SimulatedChain } from "./chain/SimulatedChain.ts"

/** As `maxAttempts` of the facilitator: each may cost a reverted transaction. */
const maxAttempts = 3

/** What is wrong with the transactions that the relayer has paid for. */
export const relayerFaults = (chain: SimulatedChain): ReadonlyArray<string> => {
  const mined = chain
    .signedUpTo(Infinity)
    .flatMap((transaction) =>
      transaction.calls.flatMap(({ call }) =>
        "authorization" in call ? [{ ...transaction, key: nonceKey(call.authorization) }] : []
      )
    )
  return Array.from(Map.groupBy(mined, ({ key }) => key)).flatMap(([key, transactions]) => {
    const faults: Array<string> = []
    if (transactions.length > maxAttempts)
      faults.push(`the relayer paid for ${transactions.length} transactions of ${key}`)
    const isSettled = transactions.some(({ hash }) => chain.token.useOf(key)?.transaction === hash)
    const wasUsed = transactions.some(({ revertReason }) => revertReason === alreadyUsed)
    // After a reorganization, a transaction that was reverted may settle it before the one that followed.
    if (isSettled && wasUsed && !chain.isReorganized)
      faults.push(`the relayer paid for ${key} again, which it had settled`)
    return faults
  })
}

const alreadyUsed = "authorization is used or canceled"
