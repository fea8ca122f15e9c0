import { Effect } from "effect"
import { toHex } from "../../domain/Hex.ts"
import { isOnSolana } from "../../domain/PaymentPayload.ts"
import { ClientBudget } from "../../runtime/ClientBudget.ts"
import { ExpiringMap } from "../../runtime/ExpiringMap.ts"
import type { Chain } from "../evidence/Chain.ts"
import { authorizationHash } from "../../fast/authorizationHash.ts"
import type { Refusal } from "../request/Verdict.ts"
import type { PayingCall } from "../attempt/PayingCall.ts"

const resultLimits = { capacity: 10_000, lifetimeMillis: 60_000 }
/** Signatures checked on the chain per minute: for one client, and in total. */
const perMinute = { perClient: 60, inAll: 600 }

export const foreignSignature: Refusal = {
  code: "invalid_exact_evm_payload_signature",
  message: "the signature is not by the payer, over this authorization, in this token's EIP-712 domain"
}

/** A payment on its network and in its token: a digest names neither, and a wallet may sign for one of them only. */
const nameOf = ({ digest, lease }: PayingCall): string => `${lease.key} ${digest}`

/**
 * Checks signatures of contract wallets on the chain (EIP-1271, EIP-6492).
 *
 * Each check costs a node call, so results are cached and checks have a budget per client address. A check returns
 * `undefined` when the result can't be known now.
 */
export class SignatureChecks {
  private readonly chain: Chain["Service"]
  private readonly budget = new ClientBudget(perMinute)
  /** Whether the chain accepts a signature, by network, token and payment. */
  private readonly results = new ExpiringMap<string, boolean>(resultLimits)

  constructor(chain: Chain["Service"]) {
    this.chain = chain
  }

  /** Checks within the client's budget. */
  check(call: PayingCall): Effect.Effect<boolean | undefined> {
    const nowMillis = call.lease.nowMillis()
    const known = this.results.get(nameOf(call), nowMillis)
    if (known !== undefined) return Effect.succeed(known)
    const retryAfterSeconds = this.budget.take(call.request.clientAddress(), nowMillis)
    return retryAfterSeconds === undefined ? this.confirm(call) : Effect.succeed(undefined)
  }

  /** Checks without a budget: for payments that the facilitator has verified. */
  confirm(call: PayingCall): Effect.Effect<boolean | undefined> {
    const { lease, network, request } = call
    const name = nameOf(call)
    const known = this.results.get(name, lease.nowMillis())
    if (known !== undefined) return Effect.succeed(known)
    const { payload } = request.payment
    // On Solana the signature is checked without the chain.
    if (isOnSolana(payload) || network.family !== "evm") return Effect.succeed(undefined)
    const { authorization, signature } = payload.payload
    const hash = toHex(authorizationHash(network.separator, authorization))
    return Effect.map(
      this.chain.acceptsSignature(network, authorization.from, hash, signature),
      (isAccepted) => {
        if (isAccepted !== undefined) this.results.set(name, isAccepted, lease.nowMillis())
        return isAccepted
      }
    )
  }
}
