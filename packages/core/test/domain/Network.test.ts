import { describe, expect, it } from "vitest"
import { findNetwork, isSameAsset, networkOfAsset } from "../../src/domain/Network.ts"

const sepolia = findNetwork("base-sepolia")!
const devnet = findNetwork("solana-devnet")!
const dollar = "0x00000000000000000000000000000000d011a500"

/** Its first letter in the other case: valid base58, and another mint. */
const otherCase = devnet.asset.replace("z", "Z")

describe("the token of a network", () => {
  it("is the same in any letter case on EVM, and exactly the same on Solana", () => {
    expect(isSameAsset(sepolia, sepolia.asset.toLowerCase())).toBe(true)
    expect(isSameAsset(sepolia, dollar)).toBe(false)
    expect(isSameAsset(devnet, devnet.asset)).toBe(true)
    expect(isSameAsset(devnet, otherCase)).toBe(false)
  })

  it("is read as that of the charge on EVM", () => {
    expect(networkOfAsset(sepolia.caip2, undefined)).toEqual(sepolia)
    expect(networkOfAsset(sepolia.caip2, sepolia.asset.toLowerCase())).toEqual(sepolia)
    expect(networkOfAsset(sepolia.caip2, dollar)).toEqual({ ...sepolia, asset: dollar })
    expect(networkOfAsset(sepolia.caip2, "USDC")).toBeUndefined()
    expect(networkOfAsset("eip155:999999", dollar)).toBeUndefined()
  })

  it("is never another mint on Solana", () => {
    expect(networkOfAsset(devnet.caip2, devnet.asset)).toEqual(devnet)
    expect(networkOfAsset(devnet.caip2, otherCase)).toBeUndefined()
    expect(networkOfAsset(devnet.caip2, dollar)).toBeUndefined()
  })
})
