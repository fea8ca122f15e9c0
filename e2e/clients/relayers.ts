import {
  type FetchOptions,
  localFacilitator,
  type LocalFacilitatorSettings,
  memorySettlementJournal
} from "@till402/providers/facilitator"
import { type Chain, usdcAbi } from "@till402/sandbox"
import { type Hex, parseEther, parseGwei } from "viem"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"

/*
 * Local facilitators on the local chain, and payments for them.
 */

/** A relayer with ether. */
export const fundedRelayer = async (chain: Chain): Promise<PrivateKeyAccount> => {
  const relayer = privateKeyToAccount(generatePrivateKey())
  await chain.client.setBalance({ address: relayer.address, value: parseEther("10") })
  return relayer
}

/** A local facilitator with short waits, and its journal. */
export const startRelay = async (
  chain: Chain,
  change: Partial<LocalFacilitatorSettings & FetchOptions> = {}
) => {
  const account = change.account ?? (await fundedRelayer(chain))
  const journal = memorySettlementJournal()
  const local = localFacilitator({
    account,
    networks: [{ network: "base-sepolia", rpcUrl: chain.rpcUrl }],
    journal,
    retries: 0,
    pollMillis: 20,
    confirmTimeoutMillis: 60_000,
    ...change
  })
  const facilitator = {
    ...local,
    settle: (payload: unknown, requirements: unknown, caller = "shop") =>
      local.settle(payload, requirements, caller)
  }
  return { account, journal, facilitator }
}

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

export interface Terms {
  readonly from: Hex
  readonly to: Hex
  readonly value: bigint
  readonly nonce: Hex
  readonly validAfter: bigint
  readonly validBefore: bigint
}

export const newNonce = (): Hex => generatePrivateKey()

export const newAddress = (): Hex => privateKeyToAccount(generatePrivateKey()).address

/** A token with its EIP-712 domain. */
export interface Token {
  readonly address: Hex
  readonly name: string
  readonly version: string
}

const usdcOf = ({ usdc }: Chain): Token => ({ address: usdc, name: "USDC", version: "2" })

/** The EIP-712 message of an authorization, in the chain's USDC unless another token is given. */
export const messageOf = (chain: Chain, message: Terms, token: Token = usdcOf(chain)) => ({
  domain: {
    name: token.name,
    version: token.version,
    chainId: chain.chainId,
    verifyingContract: token.address
  },
  types,
  primaryType: "TransferWithAuthorization" as const,
  message
})

/** An authorization as the wire carries it. */
export const wireOf = ({ from, nonce, to, validAfter, validBefore, value }: Terms) => ({
  from,
  to,
  value: value.toString(),
  validAfter: validAfter.toString(),
  validBefore: validBefore.toString(),
  nonce
})

/** A version-2 payment and the requirements that it meets, unless changed. */
export const paymentOf = (chain: Chain, terms: Terms, signature: Hex, token: Token = usdcOf(chain)) => {
  const requirements = {
    scheme: "exact",
    network: "eip155:84532",
    amount: terms.value.toString(),
    asset: token.address,
    payTo: terms.to,
    maxTimeoutSeconds: 300,
    extra: { name: token.name, version: token.version }
  }
  return {
    payload: {
      x402Version: 2,
      accepted: requirements,
      payload: { signature, authorization: wireOf(terms) }
    },
    requirements
  }
}

/** Terms that are valid now. */
export const termsOf = (from: Hex, change: Partial<Terms> = {}): Terms => {
  const now = BigInt(Math.floor(Date.now() / 1000))
  return {
    from,
    to: newAddress(),
    value: 10_000n,
    nonce: newNonce(),
    validAfter: now - 600n,
    validBefore: now + 300n,
    ...change
  }
}

/** A payer with USDC, and a signed payment of theirs. */
export const signedPayment = async (
  chain: Chain,
  change: Partial<Terms> = {},
  payer: PrivateKeyAccount = privateKeyToAccount(generatePrivateKey())
) => {
  if ((await chain.balanceOf(payer.address)) === 0n) await chain.mint(payer.address, 1_000_000n)
  const terms = termsOf(payer.address, change)
  const signature = await payer.signTypedData(messageOf(chain, terms))
  return { payer, terms, signature, ...paymentOf(chain, terms, signature) }
}

/** A connection that loses every transaction, like a process that dies before it sends. */
export const losingTransactions: NonNullable<FetchOptions["fetch"]> = async (input, init) => {
  const body = await new Response(init?.body).text()
  if (body.includes("eth_sendRawTransaction")) throw new Error("the process is gone")
  return fetch(input, { ...init, body })
}

/** Sends one transaction of somebody else and returns its hash without waiting. */
export const submit = (
  chain: Chain,
  terms: Terms,
  signature: Hex,
  maxPriorityFeePerGas: bigint
): Promise<Hex> => {
  const { from, nonce, to, validAfter, validBefore, value } = terms
  return chain.client.writeContract({
    address: chain.usdc,
    abi: usdcAbi,
    functionName: "transferWithAuthorization",
    args: [from, to, value, validAfter, validBefore, nonce, signature],
    gas: 200_000n,
    maxFeePerGas: parseGwei("100"),
    maxPriorityFeePerGas
  })
}
