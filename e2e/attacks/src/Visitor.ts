import { type ReceivedResponse, readResponse, type Call, requestOf } from "./Calls.ts"
import type { Goods } from "./Goods.ts"
import { type Challenge, headerOf, type Payment, readHeader, sign, type Signing } from "./Payments.ts"

/** A server under attack, called without a socket. */
export interface Server {
  readonly fetch: (request: Request) => Promise<Response>
  readonly goods: Goods
}

const textOf = (payment: Payment | string | object): string =>
  typeof payment === "string" ? payment : headerOf(payment)

/** What any caller can do with a server. */
export const visit = ({ fetch }: Pick<Server, "fetch">) => {
  const send = async (call: Call, headers: HeadersInit = {}): Promise<ReceivedResponse> =>
    readResponse(await fetch(requestOf(call, headers)))

  const challenge = async (call: Call): Promise<Challenge> => {
    const unpaid = await send(call)
    if (unpaid.status !== 402)
      throw new Error(`${call.path}: expected a 402, got ${unpaid.status} ${unpaid.text}`)
    return readHeader<Challenge>(unpaid.headers, "payment-required")
  }

  return {
    send,
    challenge,
    /** Requests the price of a call and signs a payment for it. */
    payFor: async (call: Call, signing: Signing = {}): Promise<Payment> =>
      sign(await challenge(call), signing),
    /** Sends a call with a payment, given as a document or as the text of its header. */
    present: (call: Call, payment: Payment | string | object): Promise<ReceivedResponse> =>
      send(call, { "payment-signature": textOf(payment) }),
    /** The same for what its payer may have bought before. */
    presentAgain: (call: Call, payment: Payment | string | object): Promise<ReceivedResponse> =>
      send(call, { "payment-signature": textOf(payment), "allow-duplicate-order": "true" })
  }
}

export type Visitor = ReturnType<typeof visit>

/** Counts the responses that have a status. */
export const countOf = (responses: ReadonlyArray<ReceivedResponse>, status: number): number =>
  responses.filter((response) => response.status === status).length

/** Sends the same call with the same payment many times at once. */
export const flood = (
  visitor: Visitor,
  call: Call,
  payment: Payment,
  count: number
): Promise<Array<ReceivedResponse>> =>
  Promise.all(Array.from({ length: count }, () => visitor.present(call, payment)))
