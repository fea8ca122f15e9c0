import { crossmint } from "@till402/providers/crossmint"
import { type Hex, readTransfer, type TreasuryOptions } from "@till402/providers/treasury"
import { isAddress } from "viem"
import { amazonProduct, shippingAddress, testAsin } from "../Buying.ts"
import { expect, type StagingScript } from "../StagingScript.ts"

const stagingUrl = "https://staging.crossmint.com/api"
const unused: Hex = "0x0000000000000000000000000000000000000001"

/** A treasury that pays nothing, and shows the transactions that it is given. */
const showing = (address: string, network: string, show: (prepared: string) => void): TreasuryOptions => {
  const refuse = () => Promise.reject(new Error("this treasury pays nothing"))
  return {
    address: isAddress(address) ? address : unused,
    network,
    check: async ({ prepared }) => show(prepared),
    find: async () => ({ status: "none" }),
    pay: refuse
  }
}

/** Creates an order, pays nothing, and prints the account that its transaction would pay. */
export const crossmintPayeesScript: StagingScript = {
  name: "crossmint-payees",
  required: [
    { name: "CROSSMINT_API_KEY", what: "server-side key; an unpaid order costs nothing" },
    { name: "CROSSMINT_TREASURY_ADDRESS", what: "the account that will pay, with USDC in it" }
  ],
  optional: [
    { name: "CROSSMINT_BASE_URL", what: `default ${stagingUrl}` },
    { name: "CROSSMINT_NETWORK", what: "the treasury's network; default base-sepolia" },
    { name: "CROSSMINT_ASIN", what: `an Amazon product; default ${testAsin}` }
  ],
  run: async (steps, { fetch, maybe, of }) => {
    const treasuryAddress = of("CROSSMINT_TREASURY_ADDRESS")
    expect(isAddress(treasuryAddress), "CROSSMINT_TREASURY_ADDRESS is not an address")
    let prepared: string | undefined
    const { quote } = crossmint({
      apiKey: of("CROSSMINT_API_KEY"),
      fetch,
      payees: [unused],
      baseUrl: maybe("CROSSMINT_BASE_URL") ?? stagingUrl,
      quoteTimeoutMillis: 60_000,
      treasury: showing(treasuryAddress, maybe("CROSSMINT_NETWORK") ?? "base-sepolia", (shown) => {
        prepared = shown
      })
    })
    const product = amazonProduct(maybe("CROSSMINT_ASIN") ?? testAsin)
    await steps.take(
      "payee",
      async (context) => {
        await quote({ product, shippingAddress, email: "buyer@example.com" }, context)
        const transfer = readTransfer(prepared ?? "")
        if (transfer !== undefined) return transfer
        throw new TypeError(
          "the prepared transaction is not a transfer of tokens, so the treasury won't sign it"
        )
      },
      ({ amountAtomic, chainId, payee, token }) =>
        `CROSSMINT_PAYEES=${payee} (a transfer of ${amountAtomic} atomic units of ${token} on chain ${chainId})`
    )
  }
}
