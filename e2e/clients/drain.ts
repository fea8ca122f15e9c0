import { Charges } from "@till402/core/effect"
import { sqlite } from "@till402/core/sqlite"
import type { Chain } from "@till402/sandbox"
import { Effect } from "effect"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { encodeFunctionData, type Hex, multicall3Abi, parseAbi } from "viem"
import type { PrivateKeyAccount } from "viem/accounts"
import { expect } from "vitest"

/*
 * One payment and the events of many: a batch that a careless chain reader counts as one payment per event.
 */

export const multicall: Hex = "0xcA11bde05977b3631167028862bE2a173976CA11"

/** Deploys Multicall3 at its public address: viem ships its creation code and doesn't export it. */
export const placeMulticall = async ({ client }: Chain): Promise<void> => {
  const require = createRequire(import.meta.url)
  const constants = join(dirname(require.resolve("viem")), "constants/contracts.js")
  const { multicall3Bytecode } = require(constants) as { readonly multicall3Bytecode: Hex }
  const { data } = await client.call({ data: multicall3Bytecode })
  await client.setCode({ address: multicall, bytecode: data! })
}

/** The price of one `track` call. */
export const price = 520_000n
const fields = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" }
] as const

/** The calldata with which an account moves a value by an authorization with this nonce. */
export const transferCall = async (
  chain: Chain,
  account: PrivateKeyAccount,
  transfer: { readonly to: Hex; readonly value: bigint; readonly nonce: Hex; readonly validBefore: number }
): Promise<Hex> => {
  const message = {
    from: account.address,
    to: transfer.to,
    value: transfer.value,
    validAfter: 0n,
    validBefore: BigInt(transfer.validBefore),
    nonce: transfer.nonce
  }
  const signature = await account.signTypedData({
    domain: { name: "USDC", version: "2", chainId: chain.chainId, verifyingContract: chain.usdc },
    types: { TransferWithAuthorization: fields },
    primaryType: "TransferWithAuthorization",
    message
  })
  return encodeFunctionData({
    abi: parseAbi([
      "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)"
    ]),
    args: [message.from, message.to, message.value, 0n, message.validBefore, message.nonce, signature]
  })
}

/**
 * One transaction with one payment to the host, and an empty transfer by the payer to themselves for every other nonce.
 * It contains the events of all nonces and one transfer of the price.
 */
export const payOnceFor = async (
  chain: Chain,
  attacker: PrivateKeyAccount,
  payTo: Hex,
  nonces: ReadonlyArray<Hex>,
  validBefore: number
): Promise<Hex> => {
  const calls = await Promise.all(
    nonces.map((nonce, index) =>
      transferCall(
        chain,
        attacker,
        index === 0
          ? { to: payTo, value: price, nonce, validBefore }
          : { to: attacker.address, value: 0n, nonce, validBefore }
      )
    )
  )
  const hash = await chain.client.writeContract({
    account: attacker,
    chain: chain.client.chain,
    address: multicall,
    abi: multicall3Abi,
    functionName: "aggregate3",
    args: [calls.map((callData) => ({ target: chain.usdc, allowFailure: false, callData }))]
  })
  expect((await chain.client.waitForTransactionReceipt({ hash })).status).toBe("success")
  return hash
}

/** Writes the records of a till that counts a transaction as proof for every nonce in it. */
export const oweForEach = (
  { usdc }: Chain,
  filename: string,
  nonces: ReadonlyArray<Hex>,
  payment: {
    readonly payer: string
    readonly payTo: string
    readonly transaction: string
    readonly validBefore: number
  }
): Promise<void> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const charges = yield* Charges
      const nowMillis = Date.now()
      for (const [index, nonce] of nonces.entries()) {
        const key = `eip155:84532:${usdc}:${payment.payer}:${nonce}`.toLowerCase()
        const claimed = yield* charges.claim(
          {
            key,
            payloadDigest: nonce,
            fingerprint: "1:forged",
            operation: "track",
            network: "eip155:84532",
            asset: usdc,
            payer: payment.payer.toLowerCase(),
            payTo: payment.payTo,
            amountAtomic: String(price),
            validBeforeSeconds: payment.validBefore,
            x402Version: 2,
            settlement: "",
            exposureAtomic: "0",
            settlesFirst: false,
            repeatKey: "",
            paymentId: "",
            // The paid one is the newest: refunds start with it.
            createdAtMillis: nowMillis - index,
            claimedAfterBlock: ""
          },
          { owner: "forged", untilMillis: nowMillis + 60_000 },
          nowMillis,
          { maxUnsettled: 1_000, maxExposureAtomic: "0" }
        )
        expect(claimed._tag).toBe("Claimed")
        yield* charges.advance(key, "forged", { response: undefined, subject: undefined })
        const completed = yield* charges.complete(
          key,
          {
            receipt: {
              success: true,
              transaction: payment.transaction,
              network: "eip155:84532",
              payer: payment.payer
            },
            transferLogIndex: undefined,
            refundDue: true,
            finalAfterMillis: undefined,
            responseOwedUntilMillis: undefined
          },
          nowMillis
        )
        expect(completed._tag).toBe("Completed")
      }
    }).pipe(Effect.provide(sqlite({ filename })))
  )
