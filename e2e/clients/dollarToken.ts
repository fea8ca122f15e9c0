import type { Chain } from "@till402/sandbox"
import { usdcAbi } from "@till402/sandbox/chain"
import { type Address, getAddress } from "viem"
import { expect } from "vitest"

/*
 * A second dollar on the local chain, with the code of Circle's token and an EIP-712 domain of its own.
 */

export const dollar = getAddress("0x00000000000000000000000000000000d011a500")
export const name = "Test Dollar, Inc."
/** The token, as a host names it. */
export const token = { address: dollar, name, version: "2" }
/** An address without a contract. */
export const nobody = "0x000000000000000000000000000000000000dEaD"

/** Puts a second token with the code of Circle's on the chain. */
export const placeToken = async (chain: Chain, address: Address = dollar, decimals = 6): Promise<void> => {
  const { client, usdc } = chain
  const bytecode = (await client.getCode({ address: usdc })) ?? "0x"
  await client.setCode({ address, bytecode })
  const owner = chain.accounts(0).address
  const token = { address, abi: usdcAbi } as const
  for (const hash of [
    await client.writeContract({
      ...token,
      functionName: "initialize",
      args: [name, "TD", "USD", decimals, owner, owner, owner, owner]
    }),
    await client.writeContract({ ...token, functionName: "initializeV2", args: [name] }),
    await client.writeContract({ ...token, functionName: "initializeV2_1", args: [nobody] }),
    await client.writeContract({ ...token, functionName: "initializeV2_2", args: [[], "TD"] }),
    await client.writeContract({ ...token, functionName: "configureMinter", args: [owner, 10n ** 18n] })
  ])
    expect((await client.waitForTransactionReceipt({ hash })).status).toBe("success")
}

/** Mints the second dollar. */
export const mint = async (chain: Chain, to: Address, amount: bigint): Promise<void> => {
  const token = { address: dollar, abi: usdcAbi } as const
  const hash = await chain.client.writeContract({ ...token, functionName: "mint", args: [to, amount] })
  await chain.client.waitForTransactionReceipt({ hash })
}

/** What an account holds of the second dollar, in atomic units. */
export const balanceOf = (chain: Chain, address: Address): Promise<bigint> =>
  chain.client.readContract({ address: dollar, abi: usdcAbi, functionName: "balanceOf", args: [address] })
