import { concat, hexToBytes, numberToHex, recoverAddress, slice } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { domainSeparator, type judgeSignature } from "../../src/toll/exact/Evm.ts"
import { authorization, sepolia } from "../toll/payments.ts"
import { property } from "../domain/seeded.ts"
import { payer, sign } from "../toll/wallet.ts"

/** Calls of the native library. */
let calls = 0

/** Loads the modules anew, as in a process with or without the optional peer. */
const judgeWith = async (isInstalled: boolean): Promise<typeof judgeSignature> => {
  vi.resetModules()
  vi.doMock("secp256k1", async (importActual) => {
    if (!isInstalled) throw new Error("Cannot find package 'secp256k1'")
    const { default: actual } = await importActual<{
      default: { ecdsaRecover: (...args: never) => Uint8Array }
    }>()
    const ecdsaRecover = (...args: never): Uint8Array => {
      calls++
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
    calls = 0
  })

  it("an account's own signature is ordinary", async () => {
    expect(await judge(separator, own, await sign(payer, sepolia, own))).toBe("Ordinary")
    expect(calls).toBe(isInstalled ? 1 : 0)
  })

  it("a changed authorization is foreign", async () => {
    const signature = await sign(payer, sepolia, own)
    expect(await judge(separator, { ...own, value: "10001" }, signature)).toBe("Foreign")
  })

  property("the signer of any hash is the account that viem recovers", 5, async (dice) => {
    const { recoverSigner } = await import("../../src/fast/recoverSigner.ts")
    const account = privateKeyToAccount(dice.hex(32))
    const signature = await account.sign({ hash: dice.hex(32) })
    const hash = dice.hex(32)
    const signer = await recoverSigner(hexToBytes(hash), signature)
    expect(signer?.toLowerCase()).toBe((await recoverAddress({ hash, signature })).toLowerCase())
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
