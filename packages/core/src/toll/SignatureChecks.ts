import { Effect } from "effect"
import { bytesToHex, type Hex } from "viem"
import { QuoteBudget } from "../orders/QuoteBudget.ts"
import type { Call } from "./Call.ts"
import type { Chain } from "./Chain.ts"
import { authorizationHash } from "./exact/Evm.ts"

const maxRemembered = 10_000
const rememberedMillis = 60_000
/** Signatures checked on the chain in a minute: for one client, and in all. */
const perMinute = { perClient: 60, inAll: 600 }

/** Whether the chain accepts a payment's signature; `undefined`: it can't be known now. */
type Check = (call: Call) => Effect.Effect<boolean | undefined>

/**
 * Checks signatures of contract wallets on the chain (EIP-1271, EIP-6492). Each check costs the node a call, so checks
 * have a budget per client address and results are remembered. `confirm` has no budget: it is for payments that the
 * facilitator has verified.
 */
export const makeSignatureChecks = (
  chain: Chain["Service"]
): { readonly check: Check; readonly confirm: Check } => {
  const budget = new QuoteBudget(perMinute)
  const results = new Map<string, { readonly isAccepted: boolean; readonly untilMillis: number }>()

  const recall = ({ digest, held }: Call): boolean | undefined => {
    const known = results.get(digest)
    return known !== undefined && known.untilMillis > held.nowMillis() ? known.isAccepted : undefined
  }

  const remember = ({ digest, held }: Call, isAccepted: boolean): void => {
    results.delete(digest)
    const [oldest] = results.keys()
    if (results.size >= maxRemembered && oldest !== undefined) results.delete(oldest)
    results.set(digest, { isAccepted, untilMillis: held.nowMillis() + rememberedMillis })
  }

  const confirm = Effect.fnUntraced(function* (call: Call) {
    const known = recall(call)
    if (known !== undefined) return known
    const { authorization, signature } = call.request.payment.payload.payload
    const hash = bytesToHex(authorizationHash(call.network.separator, authorization))
    const isAccepted = yield* chain.acceptsSignature(call.network, authorization.from, hash, signature as Hex)
    if (isAccepted !== undefined) remember(call, isAccepted)
    return isAccepted
  })

  const check = Effect.fnUntraced(function* (call: Call) {
    const known = recall(call)
    if (known !== undefined) return known
    const isOver = budget.take(call.request.clientAddress(), call.held.nowMillis()) !== undefined
    return isOver ? undefined : yield* confirm(call)
  })

  return { check, confirm }
}
