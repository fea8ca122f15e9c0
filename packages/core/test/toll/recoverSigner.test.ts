import { concat, numberToHex, slice } from "viem"
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { domainSeparator, type judgeSignature } from "../../src/toll/exact/Evm.ts"
import { authorization, sepolia } from "./payments.ts"
import { payer, sign } from "./wallet.ts"

/** How often the native library was asked. */
let asked = 0

/** Loads the signature's judge anew, in a process that has the optional peer or has it not. */
const judgeWith = async (isInstalled: boolean): Promise<typeof judgeSignature> => {
  vi.resetModules()
  vi.doMock("secp256k1", async (importActual) => {
    if (!isInstalled) throw new Error("Cannot find package 'secp256k1'")
    const { default: actual } = await importActual<{
      default: { ecdsaRecover: (...args: never) => Uint8Array }
    }>()
    const ecdsaRecover = (...args: never): Uint8Array => {
      asked++
      return actual.ecdsaRecover(...args)
    }
    return { default: { ecdsaRecover } }
  })
  return (await import("../../src/toll/exact/Evm.ts")).judgeSignature
}

describe.each([
  ["with the native library", true],
  ["without it", false]
])("%s", (_, isInstalled) => {
  const separator = domainSeparator(sepolia)
  const own = authorization({ from: payer.address })
  let judge: typeof judgeSignature
  beforeAll(async () => {
    judge = await judgeWith(isInstalled)
  })
  beforeEach(() => {
    asked = 0
  })

  it("an account's own signature is ordinary", async () => {
    expect(await judge(separator, own, await sign(payer, sepolia, own))).toBe("Ordinary")
    expect(asked).toBe(isInstalled ? 1 : 0)
  })

  it("a changed authorization is foreign", async () => {
    const signature = await sign(payer, sepolia, own)
    expect(await judge(separator, { ...own, value: "10001" }, signature)).toBe("Foreign")
  })

  it("v of 0 or 1 is malformed: the token takes 27 and 28 alone", async () => {
    const signature = await sign(payer, sepolia, own)
    const v = Number.parseInt(signature.slice(130), 16)
    const bare = concat([slice(signature, 0, 64), numberToHex(v - 27, { size: 1 })])
    expect(await judge(separator, own, bare)).toBe("Malformed")
  })

  it("what is no point of the curve is malformed", async () => {
    expect(await judge(separator, own, `0x${"ff".repeat(32)}${"11".repeat(32)}1b`)).toBe("Malformed")
  })
})
