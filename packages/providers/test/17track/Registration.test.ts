import { assert, describe, it } from "@effect/vitest"
import { Effect, Inspectable, Logger, Redacted, References } from "effect"
import { TestClock } from "effect/testing"
import type { TrackQuery } from "@till402/core"
import { envelope, inTransit, type Item, item, rejection } from "./documents.ts"
import { cacheKey } from "../../src/17track/TrackingCache.ts"
import { apiKey, type Behaviour } from "./provider.ts"
import { inTime, isFound, number, open } from "./tracking.ts"

const allExtras: TrackQuery = {
  number,
  destinationPostalCode: "1012 AB",
  destinationCountry: "nl",
  shipDate: "2026-11-17",
  phone: "+31 20 555 1234",
  cpfOrCnpj: "111.444.777-35"
}

/** A registration without its tag, which has digests. */
const untagged = ({ tag: _tag, ...sent }: Item) => sent

const wants = (...fields: ReadonlyArray<string>): Behaviour => ({
  wants: {
    [number]: {
      fields,
      code: fields.includes("destination_country") ? -18_010_018 : codeOf[fields[0]!]!
    }
  }
})
const codeOf: Readonly<Record<string, number>> = {
  destination_postal_code: -18_010_019,
  phone_number_last_4: -18_010_020,
  ship_date: -18_010_022
}

describe("fields that a carrier requires", () => {
  it.effect("are sent once it does, and no others", () =>
    Effect.gen(function* () {
      const { provider, track } = yield* open(wants("phone_number_last_4"))
      const { cpfOrCnpj: _, ...query } = allExtras
      yield* track(query)
      assert.deepStrictEqual(
        provider.of("register").map(({ items }) => items.map(untagged)),
        [
          [{ number, lang: "en" }],
          [{ number, lang: "en", phone_number: "+31 20 555 1234", phone_number_last_4: "1234" }]
        ]
      )
    })
  )

  it.effect.each([
    [["destination_postal_code"], { destination_postal_code: "1012 AB" }],
    [
      ["destination_country", "destination_postal_code"],
      { destination_country: "NL", destination_postal_code: "1012 AB" }
    ],
    [["ship_date"], { ship_date: "2026/11/17" }]
  ] as const)("%j are sent in the form of version 2.4", ([fields, sent]) =>
    Effect.gen(function* () {
      const { provider, track } = yield* open(wants(...fields))
      const { cpfOrCnpj: _, ...query } = allExtras
      assert.strictEqual((yield* track(query)).found, true)
      assert.deepStrictEqual(provider.of("register").at(-1)!.items.map(untagged), [
        { number, lang: "en", ...sent }
      ])
    })
  )

  it.effect("may be required one after the other", () =>
    Effect.gen(function* () {
      const required = ["ship_date", "phone_number_last_4"]
      const { provider, track } = yield* open({
        intercept: ({ items, path }) => {
          const missing = required.find((name) => items[0]?.[name] === undefined)
          return path === "register" && missing !== undefined
            ? {
                status: 200,
                body: {
                  code: 0,
                  data: { rejected: [{ number, error: { code: codeOf[missing], message: "" } }] }
                }
              }
            : undefined
        }
      })
      const { cpfOrCnpj: _, ...query } = allExtras
      assert.strictEqual((yield* track(query)).found, true)
      assert.hasAllKeys(provider.of("register").at(-1)!.items[0], [
        "number",
        "lang",
        "tag",
        "ship_date",
        "phone_number",
        "phone_number_last_4"
      ])
    })
  )

  it.effect("a tax id, which no error requests, is sent if given", () =>
    Effect.gen(function* () {
      const { provider, track } = yield* open()
      yield* track(allExtras)
      assert.deepStrictEqual(provider.of("register")[0]!.items.map(untagged), [
        { number, lang: "en", cpf_or_cnpj: "11144477735" }
      ])
    })
  )

  it.effect.each([
    ["destination_postal_code", "destinationPostalCode", {}],
    ["phone_number_last_4", "phone", {}],
    ["ship_date", "shipDate", {}],
    ["destination_country", "destinationCountry", { destinationPostalCode: "1012AB" }],
    ["destination_country", "destinationCountry", {}],
    ["destination_country", "destinationPostalCode", { destinationCountry: "NL" }]
  ] as const)("%s: the missing query parameter %s is named", ([upstream, parameter, given]) =>
    Effect.gen(function* () {
      const fields =
        upstream === "destination_country" ? [upstream, "destination_postal_code"] : ([upstream] as const)
      const { provider, track } = yield* open(wants(...fields))
      const failure = yield* Effect.flip(track({ number, ...given }))
      assert(failure._tag === "AdditionalFieldRequired")
      assert.strictEqual(failure.field, parameter)
      assert.include(failure.message, parameter)
      assert.strictEqual(provider.quotaUsed, 0)
    })
  )

  it.effect("that was sent and is still required is named as not accepted", () =>
    Effect.gen(function* () {
      const { provider, track } = yield* open({ refuses: { [number]: [-18_010_020] } })
      const failure = yield* Effect.flip(track({ number, phone: "12" }))
      assert(failure._tag === "AdditionalFieldRequired")
      assert.include(failure.message, "does not accept")
      assert.notInclude(failure.message, "12;")
      assert.strictEqual(provider.of("register").length, 2)
    })
  )

  it.effect("a ship date is formatted by the host's function", () =>
    Effect.gen(function* () {
      const { provider, track } = yield* open(wants("ship_date"), {
        formatShipDate: (date) => date.replaceAll("-", "")
      })
      yield* track({ number, shipDate: "2026-11-17" })
      assert.strictEqual(provider.of("register").at(-1)!.items[0]!["ship_date"], "20261117")
    })
  )

  it.effect.each([-18_010_022, -18_010_012, -18_010_015])(
    "a ship date is sent in the other format if %i refuses the first one, which costs nothing",
    (code) =>
      Effect.gen(function* () {
        const { provider, track } = yield* open({
          ...wants("ship_date"),
          intercept: ({ items, path }) =>
            path === "register" && String(items[0]?.["ship_date"]).includes("/")
              ? { status: 200, body: envelope([], [rejection(number, code)]) }
              : undefined
        })
        assert.strictEqual((yield* track({ number, shipDate: "2026-11-17" })).found, true)
        assert.deepStrictEqual(
          provider.of("register").map(({ items }) => items[0]!["ship_date"]),
          [undefined, "2026/11/17", "2026-11-17"]
        )
        assert.strictEqual(provider.quotaUsed, 1)
      })
  )

  it.effect("a ship date that is refused in both formats is named", () =>
    Effect.gen(function* () {
      const { provider, track } = yield* open({ refuses: { [number]: [-18_010_022] } })
      const failure = yield* Effect.flip(track({ number, shipDate: "2026-11-17" }))
      assert.strictEqual(failure._tag === "AdditionalFieldRequired" && failure.field, "shipDate")
      assert.strictEqual(provider.of("register").length, 3)
    })
  )
})

describe("logs and cache", () => {
  it.effect("holds no field of a caller, whatever fails", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make(({ cause, message }) => {
        lines.push(`${Inspectable.toStringUnknown(message)} ${String(cause)}`)
      })
      let isRegistered = false
      const { tracker } = yield* open({
        ...wants("phone_number_last_4"),
        intercept: ({ path }) => {
          if (path === "getquota") return { status: 500, body: "down" }
          isRegistered ||= path === "register"
          return isRegistered && path === "gettrackinfo" ? { status: 500, body: "down" } : undefined
        }
      })
      const result = yield* inTime(
        tracker
          .track(allExtras)
          .pipe(
            Effect.provide(Logger.layer([logger])),
            Effect.provideService(References.MinimumLogLevel, "All")
          )
      )
      assert.strictEqual(result.found, false)
      assert.isNotEmpty(lines)
      const log = lines.join("\n")
      for (const secret of [number, "555", "1012", "2026-11-17", "444", apiKey]) {
        assert.notInclude(log, secret)
      }
    })
  )

  it("has a key in which no field can be read", () => {
    const keyOf = cacheKey(Redacted.make(apiKey))
    const key = keyOf(allExtras)
    assert.match(key, /^1ZA1234E0205271688\|\|[0-9a-f]{64}$/)
    // And which nobody can make without the API key.
    assert.notStrictEqual(cacheKey(Redacted.make("another"))(allExtras), key)
    assert.strictEqual(keyOf({ ...allExtras }), key)
    for (const name of Object.keys(allExtras) as ReadonlyArray<keyof TrackQuery>) {
      assert.notStrictEqual(keyOf({ ...allExtras, [name]: "77777" }), key, name)
    }
  })
})

describe("a number that is registered with somebody's phone, postal code, date or tax id", () => {
  const registered = {
    destination_postal_code: ["destinationPostalCode", "1012 AB", "1012-ab", "9999 ZZ"],
    phone_number: ["phone", "+31 20 555 1234", "020 5551234", "020 5551235"],
    phone_number_last_4: ["phone", "1234", "+31 20 555 1234", "+31 20 555 4321"],
    ship_date: ["shipDate", "2026/11/17 00:00:00", "2026-11-17", "2026-11-18"],
    cpf_or_cnpj: ["cpfOrCnpj", "11144477735", "111.444.777-35", "111.444.777-36"]
  } as const

  for (const [name, [parameter, value, same, other]] of Object.entries(registered)) {
    describe(name, () => {
      const known = Effect.gen(function* () {
        const opened = yield* open()
        opened.provider.register({ number, carrier: 100_002, [name]: value })
        return opened
      })

      it.effect("is returned to callers who know it", () =>
        Effect.gen(function* () {
          const { track } = yield* known
          assert.strictEqual((yield* track({ number, [parameter]: same })).status, "InTransit")
        })
      )

      it.effect("is requested from callers who don't send it", () =>
        Effect.gen(function* () {
          const { track } = yield* known
          const failure = yield* Effect.flip(track({ number }))
          assert.strictEqual(failure._tag === "AdditionalFieldRequired" && failure.field, parameter)
        })
      )

      it.effect("finds nothing for callers who send another value, even right after a correct one", () =>
        Effect.gen(function* () {
          const { provider, track } = yield* known
          yield* track({ number, [parameter]: same })
          const refusal = yield* Effect.flip(track({ number, [parameter]: other }))
          assert.include(refusal, { _tag: "NoTrackingInfo", costUsd: 0 })
          assert.deepStrictEqual(provider.of("deletetrack"), [])
        })
      )
    })
  }

  it.effect("is registered again if it found nothing, so that a wrong digit is not permanent", () =>
    Effect.gen(function* () {
      const { provider, track } = yield* open({
        ...wants("phone_number_last_4"),
        passes: (registration) => registration["phone_number_last_4"] === "1234"
      })
      assert.strictEqual(yield* isFound(track({ number, phone: "+31 20 555 4321" })), false)
      assert.strictEqual((yield* track({ number, phone: "+31 20 555 1234" })).found, true)
      assert.strictEqual(provider.of("deletetrack").length, 1)
      assert.strictEqual(provider.quotaUsed, 2)
      // The one with the wrong digit finds nothing as before, and takes nothing away.
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* isFound(track({ number, phone: "+31 20 555 4321" })), false)
      assert.strictEqual(provider.of("deletetrack").length, 1)
    })
  )

  it.effect("is returned to the caller who registered it, whatever the provider's format of the field", () =>
    Effect.gen(function* () {
      const { track } = yield* open({
        ...wants("phone_number_last_4"),
        news: (registration) => item(inTransit, { ...registration, phone_number: "(hidden)" })
      })
      assert.strictEqual((yield* track({ number, phone: "+31 20 555 1234" })).found, true)
    })
  )

  it.effect("is not replaced while it is polled for its first news", () =>
    Effect.gen(function* () {
      const { provider, track } = yield* open({
        ...wants("phone_number_last_4"),
        newsAfterMillis: 5_000
      })
      const [first, second] = yield* Effect.all(
        [
          track({ number, phone: "1234" }),
          Effect.andThen(Effect.sleep("2 seconds"), track({ number, phone: "4321" }))
        ],
        { concurrency: 2 }
      )
      assert.strictEqual(first.found, true)
      assert.strictEqual(second.found, false)
      assert.deepStrictEqual(provider.of("deletetrack"), [])
    })
  )
})
