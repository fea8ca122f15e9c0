import { getAddress, isAddress as isAddressOfViem } from "viem"
import { describe, expect, it } from "vitest"
import { checksumAddress, isAddress } from "../../src/domain/EvmAddress.ts"
import { property } from "./seeded.ts"

describe("checksumAddress", () => {
  it("is that of EIP-55's examples", () => {
    for (const address of [
      "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
      "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
      "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
      "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb"
    ]) {
      expect(checksumAddress(address.toLowerCase())).toBe(address)
    }
  })

  property("agrees with viem", 500, (dice) => {
    const address = dice.hex(20)
    expect(checksumAddress(address)).toBe(getAddress(address))
  })
})

describe("isAddress", () => {
  property("agrees with viem", 500, (dice) => {
    const address = dice.pick([
      dice.hex(20),
      getAddress(dice.hex(20)),
      getAddress(dice.hex(20)).replace(/[a-f]/, (digit) => digit.toUpperCase()),
      dice.hex(19),
      dice.hex(21),
      dice.hex(20).replace("0x", "0X"),
      dice.hex(20).toUpperCase(),
      `${dice.hex(19)}zz`
    ])
    expect([address, isAddress(address)]).toEqual([address, isAddressOfViem(address)])
  })
})
