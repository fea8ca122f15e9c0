/*
 * A facilitator in a process of its own, which is what a server meets. It settles without a chain, and counts what it was
 * asked for.
 */
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { type Hex, verifyTypedData } from "viem"
import { type Authorization, domain, network, signerOf, types } from "./payments.ts"
import { report, workerOptions } from "./processes.ts"

export interface FacilitatorOptions {
  /** How it checks signatures; `unchecked`: responds at once, so that the server is what is measured. */
  readonly signatures: "JavaScript" | "C library" | "unchecked"
  readonly verifyMillis?: number
  readonly settleMillis?: number
  /** The payers with money; all if it is not given. */
  readonly funded?: ReadonlyArray<string>
}

/** How many payments were found valid, and how many settled. */
export interface Counts {
  readonly verified: number
  readonly settled: number
}

interface Payment {
  readonly authorization: Authorization
  readonly signature: Hex
}

const { funded, settleMillis = 0, signatures, verifyMillis = 0 } = workerOptions<FacilitatorOptions>()
const payers = funded === undefined ? undefined : new Set(funded)
let verified = 0
let settled = 0

const isSigned = async ({ authorization, signature }: Payment): Promise<boolean> => {
  if (signatures === "unchecked") return true
  const { from, nonce, to, validAfter, validBefore, value } = authorization
  if (signatures === "C library") return signerOf(authorization, signature) === from.toLowerCase()
  return verifyTypedData({
    address: from,
    domain,
    types,
    primaryType: "TransferWithAuthorization",
    message: {
      from,
      to,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce
    },
    signature
  })
}

const verify = async (payment: Payment): Promise<unknown> => {
  const payer = payment.authorization.from
  if (verifyMillis > 0) await sleep(verifyMillis)
  if (payers?.has(payer) === false) return { isValid: false, invalidReason: "insufficient_funds", payer }
  if (!(await isSigned(payment)))
    return { isValid: false, invalidReason: "invalid_exact_evm_payload_signature", payer }
  verified += 1
  return { isValid: true, payer }
}

const settle = async ({ authorization: { from: payer } }: Payment): Promise<unknown> => {
  if (settleMillis > 0) await sleep(settleMillis)
  settled += 1
  return { success: true, transaction: `0x${settled.toString(16).padStart(64, "0")}`, network, payer }
}

const paymentOf = async (request: IncomingMessage): Promise<Payment> => {
  let text = ""
  for await (const chunk of request) text += String(chunk)
  const { paymentPayload } = JSON.parse(text) as { readonly paymentPayload: { readonly payload: Payment } }
  return paymentPayload.payload
}

const handle = async (request: IncomingMessage): Promise<unknown> => {
  switch (request.url) {
    case "/supported":
      return { kinds: [{ x402Version: 2, scheme: "exact", network }], extensions: [], signers: {} }
    case "/counts":
      return { verified, settled } satisfies Counts
    case "/verify":
      return verify(await paymentOf(request))
    default:
      return settle(await paymentOf(request))
  }
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
server.listen({ port: 0, host: "127.0.0.1", backlog: 8_192 }, () =>
  report(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
)
