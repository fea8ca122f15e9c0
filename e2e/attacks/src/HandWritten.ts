import type { FacilitatorClient } from "@till402/core"
import type { Context } from "hono"
import { challengeOf, type NaiveOptions, type NaiveServer, openNaive, requirementsOf } from "./NaiveShop.ts"
import { type Payment, paymentOf, type Requirements } from "./Payments.ts"

/** A request with a payment, as a hand-written server sees it. */
export interface PaidRequest {
  readonly context: Context
  readonly path: string
  /** The payment header as it came. */
  readonly header: string
  readonly payment: Payment
  readonly requirements: Requirements
  /** Runs the route's handler; its response is `context.res`. */
  readonly work: () => Promise<void>
  /** The route's 402. */
  readonly challenge: () => Response
}

/** Responds to a paid request; undefined stands for the response of the route's handler. */
export type Serve = (request: PaidRequest) => Promise<Response | undefined>

/** A hand-written server: sends a 402 to every request without a payment, and leaves the others to `serve`. */
export const openHandWritten = (serve: Serve, options: NaiveOptions = {}): NaiveServer =>
  openNaive(
    () =>
      ({ path, priceOf }) =>
      async (context, next) => {
        const price = await priceOf(await context.req.json().catch(() => undefined))
        const challenge = () => challengeOf(path, price)
        const header = context.req.header("payment-signature")
        if (header === undefined) return challenge()
        return serve({
          context,
          path,
          header,
          payment: paymentOf(header),
          requirements: requirementsOf(price),
          work: next,
          challenge
        })
      },
    options
  )

/** Verifies, works and settles, in this order. */
export const verifyWorkSettle = async (
  facilitator: FacilitatorClient,
  { challenge, context, payment, requirements, work }: PaidRequest
): Promise<Response | undefined> => {
  if (!(await facilitator.verify(payment, requirements)).isValid) return challenge()
  await work()
  if (!(await facilitator.settle(payment, requirements)).success) context.res = challenge()
  return undefined
}
