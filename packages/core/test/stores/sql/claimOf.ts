import { Charges } from "../../../src/ports/Charges.ts"
import { unlimited } from "../../../../testing/src/stores/chargeRecords.ts"
import { sampleCharge } from "../../../../testing/src/stores/records.ts"

/** Claims a charge with this key, at one second of the epoch. */
export const claimOf = (key: string) =>
  Charges.use((charges) =>
    charges.claim(sampleCharge({ key }), { owner: "me", untilMillis: 2_000 }, 1_000, unlimited)
  )
