import { networks } from "../domain/Network.ts"

/*
 * Addresses at which money is lost.
 */

const noKey = "is an address that nobody can spend from"

/**
 * Addresses that money must not be sent to: the README's example, the accounts of Anvil and Hardhat, one of which receives the
 * sandbox's payments, and the sandbox's on Solana. In lower case.
 */
const publicAddresses: ReadonlyMap<string, string> = new Map([
  ["0x1804c8ab1f12e6bbf3894d4083f33e07309d1f38", "is Foundry's default sender, whose key nobody has"],
  ["0xca11bde05977b3631167028862be2a173976ca11", "is Multicall3, from which everybody can take"],
  ["0x000000000022d473030f116ddee9f6b43ac78ba3", "is Permit2, a contract that keeps what is sent to it"],
  ["0x742d35cc6634c0532925a3b844bc454e4438f44e", "is an exchange's, which examples everywhere name"],
  ["0x209693bc6afc0c5328ba36faf03c514ef312287c", "is that of the documents' examples, which isn't yours"],
  ["hymwe4ph7gvigqvqrghbb3zkxkvtgfuwemwqbpktshez", "is the sandbox's, whose key everybody knows"],
  ...[
    "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
    "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
    "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
    "0x90f79bf6eb2c4f870365e785982e1f101e93b906",
    "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65",
    "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc",
    "0x976ea74026e726554db657fa54763abd0c3a0aa9",
    "0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
    "0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f",
    "0xa0ee7a142d267c1f36714e4a8f75612f20a79720",
    "0xbcd4042de499d14e55001ccbb24a551f3b954096",
    "0x71be63f3384f5fb98995898a86b02fb2426c5788",
    "0xfabb0ac9d68b0b445fb7357272ff202c5651694a",
    "0x1cbd3b2770909d4e10f157cabc84c7264073c9ec",
    "0xdf3e18d64bc6a983f673ab319ccae4f1a57c7097",
    "0xcd3b766ccdd6ae721141f452c550ca635964ce71",
    "0x2546bcd3c84621e976d8185a91a922ae77ecec30",
    "0xbda5747bfd65f08deb54cb465eb87d40e51b197e",
    "0xdd2fd4581271e230360230f9337d5c0430bf44c0",
    "0x8626f6940e2eb28930efb4cef49b2d1f2c9c1199"
  ].map((account) => [account, "is an account of Anvil and Hardhat, whose key everybody knows"] as const)
])

/** Every dollar that a till knows: a token's contract keeps what is sent to it. */
const assets: ReadonlyMap<string, string> = new Map(
  networks.map(({ asset, caip2, v1Name }) => [
    asset.toLowerCase(),
    `is the dollar's own contract on ${v1Name ?? caip2}`
  ])
)

/** The first addresses of every EVM chain are those of its built-in contracts, which keep what is sent to them. */
const isPrecompile = (address: string): boolean => /^0x0{36}/.test(address)

/** Those of Solana's programs and of its incinerator: no key has one with so long a run. */
const isBuiltIn = (address: string): boolean => !address.startsWith("0x") && address.includes("1".repeat(20))

const maxPeriod = 16

/** A short text again and again, as placeholders are: 0x1234567890123…, 0xdeadbeefdeadbeef… No key has such an address. */
const isRepeated = (address: string): boolean => {
  const digits = address.replace(/^0x/, "")
  return Array.from({ length: maxPeriod }, (_, index) => digits.slice(index + 1)).some((rest) =>
    digits.startsWith(rest)
  )
}

/** Why money that is sent to an address is lost; `undefined`: nothing is known against it. Pure. */
export const lossAt = (given: string): string | undefined => {
  const address = given.toLowerCase()
  const isKeyless = isPrecompile(address) || isBuiltIn(address) || isRepeated(address)
  return publicAddresses.get(address) ?? assets.get(address) ?? (isKeyless ? noKey : undefined)
}
