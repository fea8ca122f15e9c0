import type { Hex } from "../../src/domain/Hex.ts"
import type { Authorization, EvmPaymentPayload, PaymentPayload } from "../../src/domain/PaymentPayload.ts"
import type { PaymentRequirements } from "../../src/domain/PaymentRequired.ts"
import { encodeHeader } from "../../src/toll/request/PaymentHeader.ts"
import { forgedSignature, secondSignatureOf, signatureOf } from "./chain/Calls.ts"

/** Routes that need no earlier purchase. */
export type OpenRoute = "search" | "buy" | "vaultBuy"
export type RouteName = OpenRoute | "download"

/** A client's request, without payment. */
export interface Call {
  /** Unique for each distinct request. */
  readonly name: string
  readonly route: RouteName
  readonly path: string
  /** If set, the call is a POST. */
  readonly body?: unknown
}

/** A response as it left the process. */
export interface Reply {
  readonly status: number
  readonly text: string
  /** The headers `PAYMENT-RESPONSE` and `PAYMENT-REQUIRED`. */
  readonly receipt: string | null
  readonly required: string | null
}

/** A signed payment and its history. */
export interface Payment {
  readonly name: string
  /** The key of its charge. */
  readonly key: string
  readonly payload: PaymentPayload
  /** What was signed, in the terms of an authorization. */
  readonly authorization: Authorization
  readonly header: string
  /** The header of a copy with a signature that no wallet made. */
  readonly forgedHeader: string
  /** The header of a copy that another owner of the payer's wallet signed; `undefined`: it has one owner. */
  readonly secondHeader: string | undefined
  /** The request it was signed for. */
  readonly ownCall: Call
  /** When it first arrived at a process, in true time. */
  presentedMillis: number | undefined
  /** When it was first claimed, in true time. */
  claimedMillis: number | undefined
  /** The facilitator reported a settlement that didn't happen, or that was public before the payment was presented. */
  facilitatorLied: boolean
  /** The facilitator reported a settlement, which a reorganization may have undone. */
  isReportedSettled: boolean
  /** The facilitator was called to settle it and has not refused: its money may move. */
  mayMove: boolean
  /** The facilitator that was last called to settle it. */
  givenTo: number | undefined
  /** Calls to the till's own facilitator that haven't returned. */
  settlingCalls: number
  /** The till's own facilitator said that nothing has moved and nothing can, and was not called since. */
  isDenied: boolean
  /** When the facilitator last refused to settle it, truthfully or not. */
  rejectedMillis: number
  /** The refusal it got while its money might still move. */
  refusalWhileOpen: string | undefined
  /** The first paid response, and the request it was for. */
  firstResponse: { readonly reply: Reply; readonly call: string } | undefined
  /** Every request it was presented for. */
  readonly calls: Map<string, Call>
  /** The copies, as its payer signed them, that were presented. */
  readonly copies: Set<Exclude<Copy, "forged">>
  /** The last reply for each request, after all faults ended. */
  readonly lastReplies: Map<string, Reply | undefined>
  /** Orders placed and purchases granted for it. */
  readonly effects: Set<string>
  /** Requests for which it got a paid response, and those for which one reached the client. */
  readonly delivered: Set<string>
  readonly received: Set<string>
}

/** A payment as its payer signed it. */
export type SignedPayment = Pick<
  Payment,
  "key" | "payload" | "authorization" | "header" | "forgedHeader" | "secondHeader"
>

/** Creates the record of a newly signed payment. */
export const newPayment = (options: SignedPayment & Pick<Payment, "name" | "ownCall">): Payment => ({
  ...options,
  presentedMillis: undefined,
  claimedMillis: undefined,
  facilitatorLied: false,
  isReportedSettled: false,
  mayMove: false,
  givenTo: undefined,
  settlingCalls: 0,
  isDenied: false,
  rejectedMillis: -Infinity,
  refusalWhileOpen: undefined,
  firstResponse: undefined,
  calls: new Map([[options.ownCall.name, options.ownCall]]),
  copies: new Set(["authentic"]),
  lastReplies: new Map(),
  effects: new Set(),
  delivered: new Set(),
  received: new Set()
})

export const authorizationOf = ({ authorization }: Payment): Authorization => authorization

/** Which payload is presented: the payment itself, or a copy with a second signature, or with one that no wallet made. */
export type Copy = "authentic" | "second" | "forged"

export const errorOf = ({ text }: Reply): string => String((JSON.parse(text) as { error?: unknown }).error)

/*
 * Payments by contract wallets: their signatures are longer than 65 bytes, so the till leaves verification to
 * the facilitator, and the simulated facilitator knows the valid ones. Real signatures would take most of a
 * run's time without testing more.
 */

/** The part of `PAYMENT-REQUIRED` that a payer reads. */
export interface Challenge {
  readonly resource: { readonly url: string }
  readonly accepts: ReadonlyArray<PaymentRequirements>
}

/** The challenge of a 402; `undefined`: another reply, or there is nothing to pay with while no fee payer is known. */
export const challengeIn = (reply: Reply | undefined): Challenge | undefined => {
  if (reply?.status !== 402 || reply.required === null) return undefined
  const challenge = JSON.parse(Buffer.from(reply.required, "base64").toString("utf8")) as Challenge
  return challenge.accepts.length === 0 ? undefined : challenge
}

/** How a payer writes a payment. */
export interface PaymentForm {
  readonly version: 1 | 2
  /** Omits the resource, which is optional in version 2. */
  readonly isBare: boolean
  /** Writes other things than the challenge around the signed part. */
  readonly rewrites: boolean
}

/** How a payer pays a challenge. */
export interface PayOptions extends PaymentForm {
  readonly from: string
  readonly nonce: string
  readonly nowSeconds: number
  readonly validSeconds: number
}

/** In all that payers write around the signed part. No facilitator may get it. */
export const payersWords = "written by the payer"

interface Echoed {
  readonly x402Version: number
  readonly accepted?: { readonly extra?: object }
  readonly resource?: { readonly url: string }
}

/** A payment whose payer has rewritten what no signature covers, as far as it stays one for this resource. */
export const rewritten = <Document extends Echoed>({
  accepted,
  resource,
  ...document
}: Document): object => ({
  ...document,
  ...(accepted && {
    accepted: {
      ...accepted,
      description: payersWords,
      extra: { ...accepted.extra, name: payersWords, note: payersWords }
    }
  }),
  ...(resource && {
    resource: {
      url: `https://elsewhere.example${URL.parse(resource.url)!.pathname}?note=${encodeURIComponent(payersWords)}`,
      description: payersWords,
      mimeType: payersWords
    }
  }),
  extensions: { bazaar: { info: { description: payersWords } }, [payersWords]: payersWords }
})

/** Pays the first option of a challenge, in either version of the protocol. */
export const payChallenge = ({ accepts, resource }: Challenge, options: PayOptions): EvmPaymentPayload => {
  const accepted = accepts[0]!
  const authorization: Authorization = {
    from: options.from,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: String(options.nowSeconds - 600),
    validBefore: String(options.nowSeconds + options.validSeconds),
    nonce: options.nonce
  }
  const payload = { signature: signatureOf(authorization), authorization }
  if (options.version === 1) {
    return { x402Version: 1, scheme: accepted.scheme, network: "base-sepolia", payload }
  }
  return {
    x402Version: 2,
    accepted: { ...accepted },
    payload,
    ...(options.isBare ? {} : { resource: { url: resource.url } })
  }
}

/** The headers of an EVM payment and its copies. */
export const headersOf = (
  payload: EvmPaymentPayload,
  { rewrites }: Pick<PaymentForm, "rewrites">
): Pick<Payment, "forgedHeader" | "header" | "secondHeader"> => {
  const { authorization } = payload.payload
  const written = rewrites ? rewritten(payload) : payload
  const headerWith = (signature: Hex) => encodeHeader({ ...written, payload: { authorization, signature } })
  return {
    header: encodeHeader(written),
    secondHeader: headerWith(secondSignatureOf(authorization)),
    forgedHeader: headerWith(forgedSignature(authorization))
  }
}

export const headerOf = ({ forgedHeader, header, secondHeader = header }: Payment, copy: Copy): string =>
  ({ authentic: header, second: secondHeader, forged: forgedHeader })[copy]
