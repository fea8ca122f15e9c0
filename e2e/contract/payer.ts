import { randomBytes } from "node:crypto"
import { privateKeyToAccount } from "viem/accounts"
import { type Call, requestOf, type Shop } from "./till.ts"

/*
 * A client of x402 in both versions, written from the protocol: reads a 402, signs an EIP-3009
 * authorization for its first option, and sends the call again with the payment.
 */

export const account = privateKeyToAccount(
  "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"
)

/** An entry of `accepts` in the body (version 1). */
export interface OptionV1 {
  readonly scheme: string
  readonly network: string
  readonly maxAmountRequired: string
  readonly resource: string
  readonly description: string
  readonly mimeType: string
  readonly maxTimeoutSeconds: number
  readonly asset: string
  readonly payTo: string
  readonly extra?: { readonly name: string; readonly version: string }
  readonly outputSchema?: object
}

/** An entry of `accepts` in the header (version 2). */
export interface OptionV2 {
  readonly scheme: string
  readonly network: string
  readonly amount: string
  readonly asset: string
  readonly payTo: string
  readonly maxTimeoutSeconds: number
  readonly extra?: { readonly name: string; readonly version: string }
}

export interface Challenge {
  readonly body: {
    readonly x402Version: number
    readonly error: string
    readonly accepts: ReadonlyArray<OptionV1>
  }
  readonly header: {
    readonly x402Version: number
    readonly error?: string
    readonly resource: { readonly url: string; readonly description?: string; readonly mimeType?: string }
    readonly accepts: ReadonlyArray<OptionV2>
    readonly extensions?: Readonly<Record<string, unknown>>
  }
}

const fromBase64 = (text: string): string => Buffer.from(text, "base64").toString("utf8")
export const toHeader = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64")

/** The JSON of an x402 header. */
export const headerOf = (response: Response, name: string): unknown => {
  const value = response.headers.get(name)
  if (value === null) throw new Error(`the response (${response.status}) has no ${name}`)
  return JSON.parse(fromBase64(value))
}

export const readChallenge = async (response: Response): Promise<Challenge> => {
  if (response.status !== 402) {
    throw new Error(`expected a 402, got ${response.status}: ${await response.text()}`)
  }
  return {
    body: (await response.json()) as Challenge["body"],
    header: headerOf(response, "payment-required") as Challenge["header"]
  }
}

export interface Authorization {
  readonly from: string
  readonly to: string
  readonly value: string
  readonly validAfter: string
  readonly validBefore: string
  readonly nonce: string
}

/** Deviations from an honest payment. */
export interface Deviation {
  /** Changes before signing. */
  readonly authorization?: Partial<Authorization>
  /** Changes after signing. */
  readonly afterSigning?: Partial<Authorization>
  /** Merged over the decoded header. */
  readonly document?: Readonly<Record<string, unknown>>
}

const chainIds: Readonly<Record<string, number>> = { "base-sepolia": 84532, "eip155:84532": 84532 }

const types = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" }
  ]
} as const

const signAuthorization = async (option: OptionV2, deviation: Deviation) => {
  const nowSeconds = Math.floor(Date.now() / 1000)
  const authorization: Authorization = {
    from: account.address,
    to: option.payTo,
    value: option.amount,
    validAfter: String(nowSeconds - 60),
    validBefore: String(nowSeconds + option.maxTimeoutSeconds),
    nonce: `0x${randomBytes(32).toString("hex")}`,
    ...deviation.authorization
  }
  const hex = (text: string) => text as `0x${string}`
  const signature = await account.signTypedData({
    domain: {
      name: option.extra?.name ?? "",
      version: option.extra?.version ?? "",
      chainId: chainIds[option.network] ?? 0,
      verifyingContract: hex(option.asset)
    },
    types,
    primaryType: "TransferWithAuthorization",
    message: {
      from: hex(authorization.from),
      to: hex(authorization.to),
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
      nonce: hex(authorization.nonce)
    }
  })
  return { signature, authorization: { ...authorization, ...deviation.afterSigning } }
}

/** The value of a payment header for a challenge, from its body (version 1) or its header (version 2). */
export const signPayment = async (
  challenge: Challenge,
  version: 1 | 2,
  deviation: Deviation = {}
): Promise<string> => {
  if (version === 1) {
    const option = challenge.body.accepts[0]!
    const { network, scheme } = option
    const payload = await signAuthorization({ ...option, amount: option.maxAmountRequired }, deviation)
    return toHeader({ x402Version: 1, scheme, network, payload, ...deviation.document })
  }
  const accepted = challenge.header.accepts[0]!
  const payload = await signAuthorization(accepted, deviation)
  const { resource } = challenge.header
  return toHeader({ x402Version: 2, accepted, payload, resource, ...deviation.document })
}

export interface Paid {
  readonly response: Response
  readonly challenge: Challenge
  /** Value of the payment header that was sent. */
  readonly payment: string
  /** Sends the same payment again, with the same call or another. */
  readonly again: (call?: Call) => Promise<Response>
}

/** Sends a call without payment, pays the requested price, and sends the call again. */
export const pay = async (
  shop: Shop,
  call: Call,
  how: {
    readonly version?: 1 | 2
    readonly header?: "PAYMENT-SIGNATURE" | "X-PAYMENT"
    /** The call whose 402 is paid, if the call itself would get no price. */
    readonly priced?: Call
    readonly deviation?: Deviation
  } = {}
): Promise<Paid> => {
  const version = how.version ?? 2
  const header = how.header ?? (version === 1 ? "X-PAYMENT" : "PAYMENT-SIGNATURE")
  const challenge = await readChallenge(await shop.send(how.priced ?? call))
  const payment = await signPayment(challenge, version, how.deviation)
  const again = (other: Call = call) => shop.till.fetch(requestOf(other, { [header]: payment }))
  return { response: await again(), challenge, payment, again }
}
