import type { Hex } from "viem"
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { type EvmNetwork, findEvmNetwork } from "../../src/domain/Network.ts"
import type { Authorization, EvmPaymentPayload, PaymentPayload } from "../../src/domain/PaymentPayload.ts"
import type { PaymentRequirements } from "../../src/domain/PaymentRequired.ts"
import { encodeHeader } from "../../src/toll/request/PaymentHeader.ts"

/** A client's wallet. Not a real one: its key is public. */
export const payer = privateKeyToAccount("0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d")
export const otherPayer = privateKeyToAccount(
  "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a"
)

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

/** EIP-712 typed data of an authorization in a network's stablecoin, for viem. */
export const typedDataOf = (network: EvmNetwork, authorization: Authorization) => ({
  domain: {
    name: network.eip712.name,
    version: network.eip712.version,
    chainId: network.chainId,
    verifyingContract: network.asset
  },
  types,
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

export const sign = (
  account: PrivateKeyAccount,
  network: EvmNetwork,
  authorization: Authorization
): Promise<Hex> => account.signTypedData(typedDataOf(network, authorization))

let nonces = 0
/** 32 bytes that no other payment of this process has. */
export const nextNonce = (): Hex => `0x${(++nonces).toString(16).padStart(64, "0")}`

/** The value of `PAYMENT-REQUIRED`, as far as a payer reads it. */
export interface Challenged {
  readonly resource: { readonly url: string }
  readonly accepts: ReadonlyArray<PaymentRequirements>
}

export interface PayOptions {
  readonly account?: PrivateKeyAccount
  readonly version?: 1 | 2
  /** Put over what would be signed. */
  readonly authorization?: Partial<Authorization>
  /** Which of the options in `accepts`; default the first. */
  readonly option?: number
  /** Seconds since the epoch; default now. */
  readonly nowSeconds?: number
  /** Version 2: leaves `resource` out. */
  readonly withoutResource?: boolean
}

/** Pays one of the options of a challenge: the payload, as a client would send it. */
export const payChallenge = async (
  { accepts, resource }: Challenged,
  options: PayOptions = {}
): Promise<EvmPaymentPayload> => {
  const { account = payer, option = 0, version = 2 } = options
  const accepted = accepts[option]!
  const network = findEvmNetwork(accepted.network)!
  const nowSeconds = options.nowSeconds ?? Math.floor(Date.now() / 1000)
  const authorization: Authorization = {
    from: account.address,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: String(nowSeconds - 60),
    validBefore: String(nowSeconds + accepted.maxTimeoutSeconds),
    nonce: nextNonce(),
    ...options.authorization
  }
  const payload = { signature: await sign(account, network, authorization), authorization }
  return version === 1
    ? { x402Version: 1, scheme: accepted.scheme, network: network.v1Name ?? network.caip2, payload }
    : {
        x402Version: 2,
        accepted,
        payload,
        ...(options.withoutResource === true ? {} : { resource: { url: resource.url } })
      }
}

/** The value of a payment header. */
export const headerOf = (payload: PaymentPayload): string => encodeHeader(payload)
