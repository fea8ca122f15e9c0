import type { FacilitatorClient } from "@till402/core"
import { hashTypedData, type Hex, recoverAddress } from "viem"
import { challengeOf, type NaiveOptions, type NaiveServer, openNaive, type Paywall } from "./NaiveShop.ts"
import { nowSeconds, type Payment, paymentOf, type Requirements, typedDataOf } from "./Payments.ts"

export const optimistic = "a hand-rolled server that responds first and settles afterwards"

const rememberedMillis = 24 * 3_600_000

/** Splits a signature like many snippets: accepts any `v` and ignores trailing bytes. */
const splitSignature = (signature: string): Hex => {
  const v = Number.parseInt(signature.slice(130, 132), 16)
  return `${signature.slice(0, 130) as Hex}${(v < 27 ? v + 27 : v).toString(16)}`
}

const isSigned = async (
  accepted: Requirements,
  { authorization, signature }: Payment["payload"]
): Promise<boolean> => {
  const hash = hashTypedData(typedDataOf(accepted, authorization))
  const signer = await recoverAddress({ hash, signature: splitSignature(signature) })
  return signer.toLowerCase() === authorization.from.toLowerCase()
}

const isWorthIt = (accepted: Requirements, { authorization }: Payment["payload"]): boolean =>
  authorization.to === accepted.payTo &&
  BigInt(authorization.value) >= BigInt(accepted.amount) &&
  Number(authorization.validBefore) > nowSeconds()

/**
 * What a developer might write to save the facilitator's round trips: checks the signature against the payment's own
 * `accepted`, responds, settles afterwards, and remembers settled signatures for a day, in a map of this middleware and
 * so of this route and process.
 */
const paywallOf =
  (facilitator: FacilitatorClient): Paywall =>
  () =>
  ({ path, priceOf }) => {
    const settled = new Map<string, number>()
    const isKnown = (signature: string): boolean => {
      const atMillis = settled.get(signature)
      return atMillis !== undefined && atMillis + rememberedMillis > Date.now()
    }
    return async (context, next) => {
      const body: unknown = await context.req.json().catch(() => undefined)
      const due = async (): Promise<Response> => challengeOf(path, await priceOf(body))
      const header = context.req.header("payment-signature") ?? context.req.header("x-payment")
      if (header === undefined) return due()
      const payment = paymentOf(header)
      const { accepted, payload } = payment
      if (isKnown(payload.signature) || !isWorthIt(accepted, payload) || !(await isSigned(accepted, payload)))
        return due()
      await next()
      facilitator.settle(payment, accepted).then(
        ({ success }) => success && settled.set(payload.signature, Date.now()),
        // The loss from a failed settlement shows up only in the ledger.
        () => undefined
      )
    }
  }

export const openOptimistic = (facilitator: FacilitatorClient, options: NaiveOptions = {}): NaiveServer =>
  openNaive(paywallOf(facilitator), options)
