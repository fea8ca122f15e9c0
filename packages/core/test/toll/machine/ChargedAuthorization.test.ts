import { describe, expect, it } from "vitest"
import { chargeKey } from "../../../src/toll/request/ChargeKey.ts"
import { chargedAuthorization } from "../../../src/toll/machine/ChargedAuthorization.ts"
import { authorization, from, payloadV2, sepolia } from "../payments.ts"

describe("chargedAuthorization", () => {
  it("is the part that queries of the chain need", () => {
    const charge = {
      key: chargeKey(sepolia, payloadV2()),
      payer: from.toLowerCase(),
      payTo: authorization().to,
      amountAtomic: "10000",
      validBeforeSeconds: 1_700_000_120
    }
    expect(chargedAuthorization(charge)).toEqual({
      ...authorization({ from: from.toLowerCase(), validAfter: "0" })
    })
  })
})
