import { concat, domainSeparator as separatorByViem, type Hex, numberToHex, size } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { beforeAll, describe, expect, it } from "vitest"
import { evmNetworks } from "../../../src/domain/Network.ts"
import type { Authorization } from "../../../src/domain/PaymentPayload.ts"
import { domainSeparator, judgeSignature } from "../../../src/toll/exact/Evm.ts"
import { property } from "../../domain/seeded.ts"
import { anyAuthorization, authorization, sepolia } from "../payments.ts"
import { otherPayer, payer, sign } from "../wallet.ts"

describe.each(evmNetworks)("on $caip2", (network) => {
  const separator = domainSeparator(network)

  it("the domain separator is that of EIP-712", () => {
    const { name, version } = network.eip712
    const domain = { name, version, chainId: network.chainId, verifyingContract: network.asset }
    expect(separator).toBe(separatorByViem({ domain }))
  })

  property("a payer's own signature is ordinary, any other account's is foreign", 4, async (dice) => {
    const account = privateKeyToAccount(dice.hex(32))
    const own = { ...anyAuthorization(dice), from: account.address, to: dice.hex(20) }
    const signature = await sign(account, network, own)
    expect(await judgeSignature(separator, own, signature)).toBe("Ordinary")
    expect(await judgeSignature(separator, { ...own, from: otherPayer.address }, signature)).toBe("Foreign")
  })
})

describe("judgeSignature", () => {
  const separator = domainSeparator(sepolia)
  const own = authorization({ from: payer.address })
  let signature: Hex
  beforeAll(async () => {
    signature = await sign(payer, sepolia, own)
  })
  const judged = (text: Hex, over: Authorization = own) => judgeSignature(separator, over, text)

  it("takes addresses and hexadecimal digits in either case", async () => {
    expect(await judged(signature, { ...own, from: own.from.toLowerCase() })).toBe("Ordinary")
    expect(await judged(`0x${signature.slice(2).toUpperCase()}`)).toBe("Ordinary")
  })

  const fields: ReadonlyArray<readonly [keyof Authorization, string]> = [
    ["to", "0x1111111111111111111111111111111111111111"],
    ["value", "10001"],
    ["validAfter", "0"],
    ["validBefore", "99999999999"],
    ["nonce", `0x${"cd".repeat(32)}`]
  ]
  it.each(fields)("finds it foreign where %s was changed after signing", async (name, changed) => {
    expect(await judged(signature, { ...own, [name]: changed })).toBe("Foreign")
  })

  it("finds it foreign in the domain of another network", async () => {
    for (const network of evmNetworks.filter(({ caip2 }) => caip2 !== sepolia.caip2)) {
      expect(await judgeSignature(domainSeparator(network), own, signature)).toBe("Foreign")
    }
  })

  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const parts = () => ({
    r: signature.slice(2, 66),
    s: BigInt(`0x${signature.slice(66, 130)}`),
    v: Number.parseInt(signature.slice(130), 16)
  })
  const assemble = (r: string, s: bigint, v: number): Hex =>
    concat([`0x${r}`, numberToHex(s, { size: 32 }), numberToHex(v, { size: 1 })])

  it("refuses the other spelling of the same signature: s in the upper half", async () => {
    const { r, s, v } = parts()
    expect(await judged(assemble(r, order - s, v === 27 ? 28 : 27))).toBe("Malformed")
  })

  it("draws the line at half of the curve's order, that half included", async () => {
    const { r } = parts()
    const half = order / 2n
    expect(await judged(assemble(r, half, 27))).toBe("Foreign")
    expect(await judged(assemble(r, half + 1n, 27))).toBe("Malformed")
  })

  it.each([0, 1, 2, 26, 29, 255])("refuses v of %i", async (v) => {
    const { r, s } = parts()
    expect(await judged(assemble(r, s, v))).toBe("Malformed")
  })

  it("refuses the other v, by which another account would have signed", async () => {
    const { r, s, v } = parts()
    expect(["Foreign", "Malformed"]).toContain(await judged(assemble(r, s, v === 27 ? 28 : 27)))
  })

  it.each([
    ["r of zero", "00".repeat(32), 1n],
    ["r beyond the curve", "ff".repeat(32), 1n],
    ["s of zero", "11".repeat(32), 0n],
    ["s of the curve's order", "11".repeat(32), order]
  ])("refuses %s", async (_, r, s) => {
    expect(await judged(assemble(r, s, 27))).toBe("Malformed")
  })

  it("leaves whatever is longer to the chain: a contract wallet's to judge", async () => {
    const longer = concat([signature, "0x00"])
    expect(size(longer)).toBe(66)
    expect(await judged(longer)).toBe("Contract")
    expect(await judged(concat([signature, `0x${"64926492".repeat(8)}`]))).toBe("Contract")
  })

  it("knows each of many accounts", async () => {
    const accounts = Array.from({ length: 10 }, () => privateKeyToAccount(generatePrivateKey()))
    const verdicts = await Promise.all(
      accounts.map(async (account) => {
        const over = authorization({ from: account.address })
        return judged(await sign(account, sepolia, over), over)
      })
    )
    expect(verdicts).toEqual(accounts.map(() => "Ordinary"))
  })
})
