import { Effect } from "effect"
import type { FacilitatorMember } from "../../../src/toll/facilitator/FacilitatorMember.ts"
import type {
  FacilitatorRequest,
  Settlement,
  SupportedKind,
  Verification
} from "../../../src/toll/facilitator/FacilitatorVerdicts.ts"
import { type SupportedFault, SupportedKinds } from "../../../src/toll/facilitator/SupportedKinds.ts"
import { unreachableSettlement } from "../../../src/toll/facilitator/Wire.ts"
import { offer, payloadV2, resourceUrl } from "../payments.ts"

/** A facilitator whose results a test sets, with a record of what it received. */
export interface ScriptedMember extends FacilitatorMember {
  verification: Verification
  settlement: Settlement
  listed: ReadonlyArray<SupportedKind> | SupportedFault
  readonly verified: ReadonlyArray<FacilitatorRequest>
  readonly settled: ReadonlyArray<FacilitatorRequest>
  readonly lists: () => number
}

export const transaction = `0x${"ab".repeat(32)}`
export const settled: Settlement = { _tag: "Settled", transaction, payer: "0xp" }
export const down: Verification = { _tag: "Unreachable", reason: "http_502" }
export const lost: Settlement = unreachableSettlement("TimeoutError")

const resource = { url: resourceUrl, description: "Search", mimeType: "application/json" }

export const requestV1: FacilitatorRequest = {
  x402Version: 1,
  payload: payloadV2().payload,
  requirements: offer().requirements,
  resource
}
export const requestV2: FacilitatorRequest = { ...requestV1, x402Version: 2 }

export const kind = (x402Version: number, network = "eip155:84532"): SupportedKind => ({
  x402Version,
  scheme: "exact",
  network
})

const isFault = (listed: ScriptedMember["listed"]): listed is SupportedFault => "reason" in listed

/** A facilitator that lists both versions of Base Sepolia, accepts every payment and settles it. */
export const memberOf = (name: string, options: { readonly networks?: ReadonlyArray<string> } = {}) => {
  const verified: Array<FacilitatorRequest> = []
  const settlements: Array<FacilitatorRequest> = []
  let lists = 0
  const member: ScriptedMember = {
    name,
    networks: options.networks === undefined ? undefined : new Set(options.networks),
    kinds: new SupportedKinds({
      name,
      address: `https://${name}.example`,
      fetch: Effect.suspend(() => {
        lists++
        const { listed } = member
        return isFault(listed) ? Effect.fail(listed) : Effect.succeed(listed)
      })
    }),
    maxVerifications: 3,
    settleTimeoutMillis: 30_000,
    verification: { _tag: "Valid", payer: "0xp" },
    settlement: settled,
    listed: [kind(1), kind(2)],
    verified,
    settled: settlements,
    lists: () => lists,
    verify: (request) =>
      Effect.sync(() => {
        verified.push(request)
        return member.verification
      }),
    settle: (request) =>
      Effect.sync(() => {
        settlements.push(request)
        return member.settlement
      })
  }
  return member
}
