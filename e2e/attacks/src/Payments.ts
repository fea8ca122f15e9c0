import type { Hex } from "viem"
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"

/*
 * A payer of x402 version 2 that signs anything. It is written from the protocol, since an honest client refuses to
 * make most of these payments.
 */

/** Test accounts with public keys. */
export const payer = privateKeyToAccount("0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d")
export const stranger = privateKeyToAccount(
  "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a"
)

/** An entry of `accepts` in `PAYMENT-REQUIRED`. Amounts are atomic units in decimal digits. */
export interface Requirements {
  readonly scheme: string
  /** CAIP-2. */
  readonly network: string
  readonly amount: string
  readonly asset: string
  readonly payTo: string
  readonly maxTimeoutSeconds: number
  readonly extra: Readonly<Record<string, unknown>>
}

/** The part of `PAYMENT-REQUIRED` that a payer reads. */
export interface Challenge {
  readonly resource: { readonly url: string }
  readonly accepts: ReadonlyArray<Requirements>
}

export interface Authorization {
  readonly from: string
  readonly to: string
  readonly value: string
  readonly validAfter: string
  readonly validBefore: string
  readonly nonce: string
}

/** A payment as its header holds it. */
export interface Payment {
  readonly x402Version: 2
  readonly accepted: Requirements
  readonly resource?: { readonly url: string }
  readonly payload: { readonly signature: string; readonly authorization: Authorization }
}

export interface Signing {
  readonly account?: PrivateKeyAccount
  /** Overrides signed fields. */
  readonly authorization?: Partial<Authorization>
  /** Overrides requirements, both in `accepted` and in the signed fields. */
  readonly accepted?: Partial<Requirements>
  /** Omits `resource`, as version 2 allows. */
  readonly withoutResource?: boolean
}

/** EIP-712 fields of an authorization, whoever submits it. */
export const authorizationFields = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" }
] as const

/** EIP-712 typed data of an authorization for the token and network of the requirements. */
export const typedDataOf = (requirements: Requirements, authorization: Authorization) => ({
  domain: {
    name: String(requirements.extra["name"]),
    version: String(requirements.extra["version"]),
    chainId: Number(requirements.network.slice("eip155:".length)),
    verifyingContract: requirements.asset as Hex
  },
  types: { TransferWithAuthorization: authorizationFields },
  primaryType: "TransferWithAuthorization" as const,
  message: {
    from: authorization.from as Hex,
    to: authorization.to as Hex,
    value: BigInt(authorization.value),
    validAfter: BigInt(authorization.validAfter),
    validBefore: BigInt(authorization.validBefore),
    nonce: authorization.nonce as Hex
  }
})

let nonces = 0
/** A random nonce of 32 bytes. */
export const nextNonce = (): Hex => `0x${(++nonces).toString(16).padStart(64, "0")}`

export const nowSeconds = (): number => Math.floor(Date.now() / 1000)

/** Pays the first option of a challenge. */
export const sign = async ({ accepts, resource }: Challenge, signing: Signing = {}): Promise<Payment> => {
  const { account = payer } = signing
  const accepted: Requirements = { ...accepts[0]!, ...signing.accepted }
  const authorization: Authorization = {
    from: account.address,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: String(nowSeconds() - 60),
    validBefore: String(nowSeconds() + accepted.maxTimeoutSeconds),
    nonce: nextNonce(),
    ...signing.authorization
  }
  const signature = await account.signTypedData(typedDataOf(accepted, authorization))
  return {
    x402Version: 2,
    accepted,
    ...(signing.withoutResource === true ? {} : { resource: { url: resource.url } }),
    payload: { signature, authorization }
  }
}

/** The value of a payment header. */
export const headerOf = (document: unknown): string =>
  Buffer.from(JSON.stringify(document)).toString("base64")

/** The payment of a payment header. */
export const paymentOf = (header: string): Payment =>
  JSON.parse(Buffer.from(header, "base64").toString("utf8")) as Payment

/** Payer and nonce of a payment, in lower case. */
export const keyOf = ({ payload: { authorization } }: Payment): string =>
  `${authorization.from}:${authorization.nonce}`.toLowerCase()

/** The JSON of an x402 header. */
export const readHeader = <A>(headers: Headers, name: string): A => {
  const value = headers.get(name)
  if (value === null) throw new Error(`the response has no ${name}`)
  return JSON.parse(Buffer.from(value, "base64").toString("utf8")) as A
}
