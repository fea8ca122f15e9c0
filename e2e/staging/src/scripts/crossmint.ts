import { crossmint } from "@till402/providers/crossmint"
import { type Hex, memoryPaymentJournal, evmTreasury } from "@till402/providers/treasury"
import { isHex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { amazonProduct, buy, isStaging, reasonAgainst, testAsin } from "../Buying.ts"
import { expect, type StagingScript } from "../StagingScript.ts"

const stagingUrl = "https://staging.crossmint.com/api"

const keyOf = (text: string): Hex => {
  expect(
    isHex(text) && text.length === 66,
    "CROSSMINT_TREASURY_PRIVATE_KEY is not 0x and 64 hexadecimal digits"
  )
  return text as Hex
}

/** https://docs.crossmint.com, on Base Sepolia. */
export const crossmintScript: StagingScript = {
  name: "crossmint",
  required: [
    { name: "CROSSMINT_API_KEY", what: "server-side key of the staging console" },
    { name: "CROSSMINT_PAYEES", what: "Crossmint's accounts that may be paid, separated by commas" },
    {
      name: "CROSSMINT_TREASURY_PRIVATE_KEY",
      what: "account on Base Sepolia with test USDC; signs only with --place"
    }
  ],
  optional: [
    { name: "CROSSMINT_BASE_URL", what: `default ${stagingUrl}` },
    { name: "CROSSMINT_RPC_URL", what: "a node of Base Sepolia; default https://sepolia.base.org" },
    { name: "CROSSMINT_ASIN", what: `an Amazon product; default ${testAsin}` }
  ],
  run: async (steps, { fetch, mayPlace, maybe, of }) => {
    const baseUrl = maybe("CROSSMINT_BASE_URL") ?? stagingUrl
    const fulfilment = crossmint({
      apiKey: of("CROSSMINT_API_KEY"),
      fetch,
      payees: of("CROSSMINT_PAYEES")
        .split(",")
        .map((payee) => payee.trim() as Hex),
      baseUrl,
      quoteTimeoutMillis: 60_000,
      treasury: evmTreasury({
        account: privateKeyToAccount(keyOf(of("CROSSMINT_TREASURY_PRIVATE_KEY"))),
        network: "base-sepolia",
        rpcUrl: maybe("CROSSMINT_RPC_URL") ?? "https://sepolia.base.org",
        // A separate order in each run, so that no state has to outlive it.
        journal: memoryPaymentJournal(),
        confirmTimeoutMillis: 60_000
      })
    })
    await buy(steps, {
      fulfilment,
      product: amazonProduct(maybe("CROSSMINT_ASIN") ?? testAsin),
      whyNot: reasonAgainst(mayPlace, isStaging(baseUrl, stagingUrl), "CROSSMINT_BASE_URL is not staging")
    })
  }
}
