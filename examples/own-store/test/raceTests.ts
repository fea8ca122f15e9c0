import { sharedPostgres } from "@till402/test-postgres"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { postgresStores } from "../src/storage/storage.ts"
import { type Contenders, startContenders } from "./Contenders.ts"
import { lockedInMemory } from "./mutants.ts"
import {
  exposures,
  type OwnStores,
  patient,
  places,
  type Race,
  races,
  type RaceName,
  refundsAllowed
} from "./races.ts"

/*
 * Two processes with 50 racers each on one database: a lock in a process's memory can't decide these races.
 */

const racers = 100
const rounds = 20

const wins = (got: ReadonlyArray<unknown>): number => got.filter((won) => won === true).length

/** The tests of all races. */
export const raceTests = (): void => {
  let url: string
  let stores: OwnStores
  let contenders: Contenders
  beforeAll(async () => {
    url = await (await sharedPostgres()).createDatabase()
    // Both create the tables of the empty database at the same time.
    contenders = await startContenders(url)
    stores = postgresStores(url, patient)
  })
  afterAll(async () => {
    await contenders?.stop()
    await stores?.close()
  })

  /** Runs a race several rounds, each with a new subject. */
  const run = async (
    name: RaceName,
    check: (got: ReadonlyArray<unknown>, subject: string) => Promise<void> | void
  ) => {
    const { prepare }: Race = races[name]
    for (let round = 0; round < rounds; round++) {
      const subject = `${name} ${round}`
      await prepare?.(stores, subject)
      const got = await contenders.race({ name, subject })
      expect(got).toHaveLength(racers)
      await check(got, subject)
    }
  }

  const entriesOf = async (key: string) =>
    (await stores.charges.entries({ limit: 10, chargeKeys: [key] })).map(({ kind, transaction }) => [
      kind,
      transaction
    ])

  describe("of a hundred racers in two processes", () => {
    it.each([
      "claim a key",
      "claim a key whose lease has expired",
      "take over a charge",
      "reopen a charge",
      "apply a settlement",
      "consume a quote",
      "place an order",
      "grant a purchase",
      "reschedule a purchase",
      "take a purchase"
    ] as const)("one alone can %s", (name) => run(name, (got) => expect(wins(got)).toBe(1)))

    it("as many claim a place of a payer as the limit allows", () =>
      run("claim one of the places of a payer", (got) => expect(wins(got)).toBe(places)))

    it("as many claim exposure of a payer as its limit allows", () =>
      run("claim exposure of a payer", (got) => expect(wins(got)).toBe(exposures)))

    it("one charge is settled by a transfer, the others are refused", () =>
      run("settle by one transfer", (got) => {
        expect(got.filter((tag) => tag === "Completed")).toHaveLength(1)
        expect(got.filter((tag) => tag === "TransferTaken")).toHaveLength(racers - 1)
      }))

    it("as many refunds of a payer are started as the limit allows", () =>
      run("start a refund of a payer", (got) => expect(wins(got)).toBe(refundsAllowed)))

    it("one settles a charge, and the ledger has only its transaction", () =>
      run("settle a charge", async (got, key) => {
        expect(wins(got)).toBe(1)
        const charge = await stores.charges.find(key)
        expect(await entriesOf(key)).toEqual([["settled", charge?.receipt?.transaction]])
      }))

    it("one records a refund, and the ledger has only its transaction", () =>
      run("record a refund", async (got, key) => {
        expect(wins(got)).toBe(1)
        const { refund } = (await stores.charges.find(key))!
        expect(refund).toMatchObject({ _tag: "Sent" })
        const entries = await entriesOf(key)
        expect(entries).toHaveLength(3)
        expect(entries).toContainEqual(["refunded", refund?._tag === "Sent" ? refund.transaction : ""])
      }))

    it("one records the next attempt of a refund", () =>
      run("record an attempt of a refund", async (got, key) => {
        expect(wins(got)).toBe(1)
        expect(await stores.charges.refundAttempts([key])).toHaveLength(1)
      }))

    it("all get the same quote of one request", () =>
      run("put a quote", async (got, request) => {
        expect(new Set(got).size).toBe(1)
        expect((await stores.quotes.findLive(request, 1_000_000))?.id).toBe(got[0])
      }))

    it("every download is counted", () =>
      run("count a download", async (_, slug) => {
        expect((await stores.vaultItems.findBySlug(slug))?.downloads).toBe(racers)
      }))
  })
}

/** A test of the races themselves: they catch a lock in the memory of one process. */
export const lockTests = (): void => {
  let url: string
  let stores: OwnStores
  beforeAll(async () => {
    url = await (await sharedPostgres()).createDatabase()
    stores = postgresStores(url, patient)
    await stores.open()
  })
  afterAll(() => stores?.close())

  describe("a claim behind a lock in memory", () => {
    it("passes the race of one process", async () => {
      const locked = lockedInMemory(stores)
      const { run }: Race = races["claim a key"]
      const running = Array.from({ length: racers }, (_, racer) => run(locked, "locked", `racer-${racer}`))
      expect(wins(await Promise.all(running))).toBe(1)
    })

    it("is caught by the race of two", async () => {
      const locked = await startContenders(url, "locked-in-memory")
      onTestFinished(locked.stop)
      const won: Array<number> = []
      for (let round = 0; round < 10 && !won.includes(2); round++) {
        won.push(wins(await locked.race({ name: "claim a key", subject: `locked ${round}` })))
      }
      expect(won).toContain(2)
    })
  })
}
