import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { TrackQuery } from "@till402/core"
import { registrationTags } from "../../src/17track/RegistrationTag.ts"
import { inTransit, type Item, item } from "./documents.ts"
import { apiKey, type Behaviour } from "./provider.ts"
import { isFound, number, open } from "./tracking.ts"

/** The names in which 17TRACK takes the fields. */
const upstreamNames = [
  "destination_postal_code",
  "phone_number",
  "phone_number_last_4",
  "ship_date",
  "cpf_or_cnpj"
]

const codes = { destinationPostalCode: -18_010_019, phone: -18_010_020, shipDate: -18_010_022 }
const wanted = {
  destinationPostalCode: "destination_postal_code",
  phone: "phone_number_last_4",
  shipDate: "ship_date"
}

/** A provider that returns none of the fields that a number is registered with, except its tag. */
const silent = (field: keyof typeof codes, echo: Item = {}): Behaviour => ({
  wants: { [number]: { fields: [wanted[field]], code: codes[field] } },
  news: (registration) =>
    item(inTransit, {
      ...registration,
      ...Object.fromEntries(upstreamNames.map((name) => [name, null])),
      ...echo
    })
})

describe("a number whose fields are not in the response", () => {
  it.effect.each<[keyof typeof codes, string, string, string]>([
    ["phone", "+31 20 555 1234", "020 5551234", "+31 20 555 4321"],
    ["destinationPostalCode", "1012 AB", "1012ab", "9999 ZZ"],
    ["shipDate", "2026-11-17", "2026-11-17", "2026-11-18"]
  ])("is returned only to callers who know the %s of its registration", ([field, value, same, other]) =>
    Effect.gen(function* () {
      const { provider, track } = yield* open(silent(field))
      assert.strictEqual((yield* track({ number, [field]: value })).found, true)
      // Another process, which has not registered the number.
      const restarted = yield* open(silent(field))
      restarted.provider.registrations = provider.registrations
      assert.strictEqual((yield* restarted.track({ number, [field]: same })).found, true)
      assert.strictEqual(yield* isFound(restarted.track({ number, [field]: other })), false)
      const failure = yield* Effect.flip(restarted.track({ number }))
      assert.strictEqual(failure._tag === "AdditionalFieldRequired" && failure.field, field)
    })
  )

  it.effect("is returned if the response hides a part of them", () =>
    Effect.gen(function* () {
      const { track } = yield* open(silent("phone", { phone_number: "+31******1234" }))
      const query: TrackQuery = { number, phone: "+31 20 555 1234" }
      assert.strictEqual((yield* track(query)).found, true)
      assert.strictEqual((yield* track({ ...query, phone: "1234" })).found, true)
      assert.strictEqual(yield* isFound(track({ ...query, phone: "1235" })), false)
    })
  )

  it.effect("is compared with the whole phone number if the response has it", () =>
    Effect.gen(function* () {
      const { track } = yield* open(silent("phone", { phone_number: "+31 20 555 1234" }))
      assert.strictEqual((yield* track({ number, phone: "+31 20 555 1234" })).found, true)
      assert.strictEqual(yield* isFound(track({ number, phone: "+31 20 999 1234" })), false)
    })
  )
})

describe("the tag", () => {
  const tags = registrationTags(Redacted.make(apiKey))
  const all = {
    phone: "1234",
    destinationPostalCode: "1012 AB",
    shipDate: "2026-11-17",
    cpfOrCnpj: "11144477735"
  }

  it("fits into 100 characters and contains no value", () => {
    const tag = tags.write(all)
    assert.match(tag ?? "", /^t402:[PTDC0-9a-f]{1,95}$/)
    for (const value of ["1234", "1012", "20261117", "111444"]) assert.notInclude(tag, value)
    assert.isUndefined(tags.write({}))
  })

  it("is not readable without the key, and says nothing of other tags", () => {
    const other = registrationTags(Redacted.make("another"))
    const tag = tags.write({ phone: "1234" }) ?? null
    assert.isTrue(tags.check(tag, "phone", "+31 20 555 1234"))
    assert.isFalse(other.check(tag, "phone", "1234"))
    assert.isFalse(tags.check(tag, "phone", undefined))
    assert.isUndefined(tags.check(tag, "shipDate", "2026-11-17"))
    assert.isUndefined(tags.check("purchase-42", "phone", "1234"))
    assert.isUndefined(tags.check(null, "phone", "1234"))
  })
})
