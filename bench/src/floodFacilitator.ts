/*
 * A facilitator in a process of its own that takes its time. It knows which payers have money, and settles without a
 * chain.
 */
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { network } from "./payments.ts"
import { report, workerOptions } from "./processes.ts"

export interface FacilitatorOptions {
  readonly verifyMillis: number
  readonly settleMillis: number
  /** Payers with money when they are verified. */
  readonly funded: "all" | ReadonlyArray<string>
  /** Whether the money is still there at settlement. */
  readonly settles: boolean
}

const options = workerOptions<FacilitatorOptions>()
const funded = options.funded === "all" ? undefined : new Set(options.funded)
let settled = 0
/** Settlements by the nonce of their payment, which `/settlements` returns. */
const settlements: Record<string, number> = {}

interface Authorization {
  readonly from: string
  readonly nonce: string
}

const authorizationOf = async (request: IncomingMessage): Promise<Authorization> => {
  let text = ""
  for await (const chunk of request) text += String(chunk)
  const { paymentPayload } = JSON.parse(text) as {
    readonly paymentPayload: { readonly payload: { readonly authorization: Authorization } }
  }
  return paymentPayload.payload.authorization
}

const verify = async (payer: string): Promise<unknown> => {
  if (options.verifyMillis > 0) await sleep(options.verifyMillis)
  return funded === undefined || funded.has(payer)
    ? { isValid: true, payer }
    : { isValid: false, invalidReason: "insufficient_funds", payer }
}

const settle = async ({ from: payer, nonce }: Authorization): Promise<unknown> => {
  if (options.settleMillis > 0) await sleep(options.settleMillis)
  if (options.settles) settlements[nonce] = (settlements[nonce] ?? 0) + 1
  const transaction = options.settles ? `0x${(++settled).toString(16).padStart(64, "0")}` : ""
  const reason = options.settles ? {} : { errorReason: "insufficient_funds" }
  return { success: options.settles, transaction, network, payer, ...reason }
}

const handle = async (request: IncomingMessage): Promise<unknown> => {
  if (request.url?.endsWith("/supported") === true)
    return { kinds: [{ x402Version: 2, scheme: "exact", network }], extensions: [], signers: {} }
  if (request.url?.endsWith("/settlements") === true) return settlements
  const authorization = await authorizationOf(request)
  return request.url?.endsWith("/verify") === true ? verify(authorization.from) : settle(authorization)
}

const server = createServer((request, response) => {
  handle(request).then(
    (document) => response.setHeader("content-type", "application/json").end(JSON.stringify(document)),
    (error: unknown) => {
      response.statusCode = 500
      response.end(String(error))
    }
  )
})
server.listen(0, "127.0.0.1", () => report(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
