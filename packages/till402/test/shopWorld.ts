import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TillOptions } from "@till402/core"
import { sqlite, sqliteClient } from "@till402/core/sqlite"
import { fakeFacilitator, fakeFulfilment, fakeMarketplace, fakeVaultFiles } from "@till402/testing"
import { Effect } from "effect"
import { expect, onTestFinished } from "vitest"
import { baseUrl, buy, openTill, track, vaultBuy } from "../../core/test/toll/openTill.ts"
import { run } from "../src/commands/run.ts"
import { recordedOutput } from "../src/terminal/Output.ts"

/*
 * A shop in an SQLite file that has sold something, and its operator at the command line.
 */

/** Clears a screen, turns a text around, and begins a sequence by a single character. */
export const hostile = "A\u001b[2Jbag\u202e\u009b31m\nname"

/** What a page of a terminal must not have. */
export const controls = /(?!\n)[\p{Cc}\p{Cf}]/u

const fulfilmentOf = (place: "places" | "unclear") => {
  const fulfilment = fakeFulfilment()
  if (place === "places") return fulfilment
  fulfilment.place.failsWith(new Error("connection reset"))
  return { ...fulfilment, placesOnce: false }
}

/** The options of the operator's till, which is the same service. */
const optionsOf = (filename: string, options: Partial<TillOptions>): TillOptions => ({
  baseUrl,
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  networks: ["base-sepolia"],
  facilitator: fakeFacilitator(),
  trustFacilitator: true,
  secret: "a text that nobody can guess, of 32 characters or more",
  storage: sqlite({ filename }),
  marketplaces: { marketplace_a: fakeMarketplace() },
  fulfilment: fulfilmentOf("places"),
  vault: fakeVaultFiles(),
  onEvent: () => undefined,
  ...options
})

/** Runs a command line at a terminal whose person gives `answer`, or without a terminal. */
const runner = (TILL_DATABASE: string) => async (args: ReadonlyArray<string>, answer?: string) => {
  const { noted, output, printed, written } = recordedOutput()
  const questions: Array<string> = []
  const ask = async (question: string) => {
    questions.push(question)
    return answer ?? ""
  }
  const sleep = async () => undefined
  const surroundings = { environment: { TILL_DATABASE }, output, sleep }
  const code = await run(args, answer === undefined ? surroundings : { ...surroundings, ask }, "1.2.3")
  const exported = written.map((bytes) => new TextDecoder().decode(bytes)).join("")
  return { code, printed: printed.join("\n"), noted: noted.join("\n"), exported, questions }
}

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "till402-books-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Sells an order, an item of the vault and a lookup: the file of the till, and the order. */
const sellAll = async (place: "places" | "unclear") => {
  const filename = join(newFolder(), "till.sqlite")
  const { payFor, present, till } = await openTill({
    storage: sqlite({ filename }),
    fulfilment: fulfilmentOf(place),
    without: ["mailer"]
  })
  for (const call of [track, buy, vaultBuy]) {
    const response = await present(call, await payFor(call))
    expect(response.status, response.text).toBe(200)
  }
  const expected = place === "places" ? "placed" : "needs_operator"
  await expect.poll(async () => (await till.orders.list())[0]?.status).toBe(expected)
  const [order] = await till.orders.list()
  await till.dispose()
  return { bytes: readFileSync(filename), order: order! }
}

/** The shops that were made: each test has a copy. */
const made = new Map<string, ReturnType<typeof sellAll>>()

/** A till that sold an order, an item of the vault and a lookup, and runs no more. */
export const soldOut = async (place: "places" | "unclear" = "places", options: Partial<TillOptions> = {}) => {
  const making = made.get(place) ?? sellAll(place)
  made.set(place, making)
  const { bytes, order } = await making
  const folder = newFolder()
  const filename = join(folder, "till.sqlite")
  writeFileSync(filename, bytes)
  const module = join(folder, "till.mjs")
  const name = `till402-${filename}`
  Reflect.set(globalThis, name, () => optionsOf(filename, options))
  onTestFinished(() => void Reflect.deleteProperty(globalThis, name))
  writeFileSync(module, `export const options = () => globalThis[${JSON.stringify(name)}]()`)
  const sql = (statement: string, ...parameters: ReadonlyArray<unknown>) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(sqliteClient({ filename }), (client) => client.unsafe(statement, parameters))
      )
    )
  return { filename, module, order, sql, operate: runner(filename) }
}
