import { bytesToHex, hashTypedData } from "viem"
import { describe, expect } from "vitest"
import { evmNetworks } from "../../src/domain/Network.ts"
import { authorizationHash } from "../../src/fast/authorizationHash.ts"
import { domainSeparator } from "../../src/toll/exact/Evm.ts"
import { property } from "../domain/seeded.ts"
import { anyAuthorization } from "../toll/payments.ts"
import { typedDataOf } from "../toll/wallet.ts"

describe.each(evmNetworks)("on $caip2", (network) => {
  const separator = domainSeparator(network)

  property("the hash of an authorization is viem's", 60, (dice) => {
    const any = anyAuthorization(dice)
    // viem accepts addresses with a right checksum or none.
    const lower = { ...any, to: any.to.toLowerCase() }
    expect(bytesToHex(authorizationHash(separator, any))).toBe(hashTypedData(typedDataOf(network, lower)))
  })
})
