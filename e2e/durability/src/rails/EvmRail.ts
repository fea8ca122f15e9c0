import type { Chain, LocalFacilitator } from "@till402/sandbox"
import { registerExactEvmScheme } from "@x402/evm/exact/client"
import { wrapFetchWithPayment, x402Client } from "@x402/fetch"
import { parseEther } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import type { Relayer } from "../ServerSettings.ts"
import { readTransfers } from "./EvmTransfers.ts"
import { type Payer, purseAtomic, type Rail } from "./Rail.ts"

export const evmPayer = async (chain: Chain): Promise<Payer> => {
  const account = privateKeyToAccount(generatePrivateKey())
  await chain.mint(account.address, purseAtomic)
  return {
    address: account.address,
    paying: (send) => {
      const client = registerExactEvmScheme(new x402Client(), { signer: account })
      client.setSpendControls({ maxAmountPerPayment: "$100" })
      return wrapFetchWithPayment(send, client)
    }
  }
}

const newRelayer = async (chain: Chain): Promise<Relayer> => {
  const privateKey = generatePrivateKey()
  const { address } = privateKeyToAccount(privateKey)
  await chain.client.setBalance({ address, value: parseEther("10") })
  return { rail: "evm", privateKey }
}

/** Base Sepolia, with a new payee. Without a facilitator, the servers settle, by a new relayer with ether. */
export const evmRail = async ({
  chain,
  facilitator
}: {
  readonly chain: Chain
  readonly facilitator?: LocalFacilitator
}): Promise<Rail> => {
  const payTo = privateKeyToAccount(generatePrivateKey()).address
  return {
    settings: {
      network: "base-sepolia",
      payTo,
      relayer: facilitator === undefined ? await newRelayer(chain) : undefined,
      rpcUrl: chain.rpcUrl
    },
    facilitatorUrl: facilitator?.url,
    openPayer: () => evmPayer(chain),
    readTransfers: () => readTransfers({ chain, payTo }),
    balance: () => chain.balanceOf(payTo)
  }
}
