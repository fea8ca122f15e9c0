import { isPlayMoney } from "../../domain/Network.ts"
import { clientOf, groupOf } from "../../runtime/ClientAddress.ts"
import type { TollNetwork } from "../request/TollNetwork.ts"
import type { TollRequest } from "../request/TollRequest.ts"
import { Releases, type UnpaidWork } from "./Releases.ts"

/** What a call has learned about its payment. */
export interface Learned {
  /** The signature was checked, here or on the chain: it is the payer's own. */
  isProven: boolean
  /** Whether the payer has settled here within a day, if the store was read for it. */
  isKnown: boolean | undefined
  /** When the facilitator started to verify the payment; 0: it didn't. */
  verifiedAtMillis: number
  /** The number of a refusal for what facilitator or chain said last; `undefined`: neither was asked since the claim. */
  refusalNumber: number | undefined
}

/** A paid call, as the limits see it. */
export interface PayingCall {
  readonly request: Pick<
    TollRequest<unknown>,
    "payment" | "clientAddress" | "exposureAtomic" | "settlesFirst"
  >
  readonly network: TollNetwork
  /** On EVM in lower case. */
  readonly payer: string
  /** See {@link accountOf}. */
  readonly account: string
  readonly digest: string
  /** Until when the caller can be kept waiting. */
  readonly untilMillis: number
  readonly lease: { readonly key: string; readonly owner: string; readonly nowMillis: () => number }
  readonly learned: Learned
  /** What the call holds of the limits. */
  readonly releases: Releases
  /** The newest work that isn't paid for. Whatever is given back for lost work gets it. */
  unpaidWork: UnpaidWork | undefined
}

/** Names the account of a payer in the limits: what is paid in play money earns nothing where real money is paid. */
export const accountOf = (payer: string, caip2: string): string =>
  isPlayMoney(caip2) ? `play ${payer}` : payer

/** Names the group of clients that a call counts to; those without an address are one. */
export const clientGroupOf = ({ request }: PayingCall): string =>
  groupOf(clientOf(request.clientAddress() ?? ""))

/** The part of a {@link PayingCall} that belongs to the limits, when the call begins. */
export const openPayingCall = (): Pick<PayingCall, "learned" | "releases" | "unpaidWork"> => ({
  learned: { isProven: false, isKnown: undefined, verifiedAtMillis: 0, refusalNumber: undefined },
  releases: new Releases(),
  unpaidWork: undefined
})
