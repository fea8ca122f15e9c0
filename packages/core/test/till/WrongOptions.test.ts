import { describe, expect, it } from "vitest"
import { ConfigurationError, memory, Till } from "@till402/core"
import { fakeFacilitator, fakeTracker } from "@till402/testing"
import { ofAnotherKind } from "./optionsOfAnotherKind.ts"
import { payTo, secret, canary, method, misspelled, missing } from "./wrongOptions.ts"

const right = {
  baseUrl: "https://shop.example/api",
  payTo,
  networks: ["base-sepolia"],
  facilitator: fakeFacilitator(),
  trustFacilitator: true,
  secret,
  storage: memory(),
  tracker: fakeTracker(),
  onEvent: () => undefined
}

/** Calls `Till.make` as a host without types may. */
const messageOf = (options: unknown): string => {
  try {
    void Reflect.apply(Till.make, undefined, [options]).dispose()
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    return error instanceof Error ? error.message : ""
  }
  return "accepted"
}

const changed = (change: Record<string, unknown>): string =>
  messageOf({ ...right, ...change }).replace("Till402 can't start: ", "")

describe("a wrong configuration is refused, with what was given and what to give", () => {
  it("accepts the options that the cases change", () => {
    expect(messageOf(right)).toBe("accepted")
  })

  const expectRefusal = (change: Record<string, unknown>, message: string): void => {
    const refusal = changed(change)
    expect(refusal).toBe(message)
    expect(refusal).not.toContain(canary)
  }
  it.each(misspelled)("misspelled: %s", (_, change, message) => expectRefusal(change, message))
  it.each(missing)("missing: %s", (_, change, message) => expectRefusal(change, message))
  it.each(ofAnotherKind)("of another kind: %s", (_, change, message) => expectRefusal(change, message))

  it.each([
    [undefined, "none was given"],
    [null, "got null"],
    ["till.json", `got "till.json"`],
    [[], "got a list"],
    [() => right, "got a function"]
  ])("options that are no object: %s", (options, state) => {
    expect(messageOf(options)).toBe(
      `The options of Till.make must be an object: ${state}. See docs/options.md`
    )
  })

  it("lists faults of every level at once", () => {
    const limits = { unsetled: 1, unverified: 0 }
    const message = changed({ vualt: {}, limits, tracker: method, cors: true, storage: "x" })
    expect(message.split("\n").filter((line) => line.startsWith("- "))).toHaveLength(6)
  })
})

describe("a port may have members of its own", () => {
  it("as an object", () => {
    expect(changed({ tracker: { track: method, codes: [], lastCall: undefined } })).toBe("accepted")
  })

  it("as an instance of a class", () => {
    class Tracker {
      readonly calls = 0
      async track(): Promise<unknown> {
        return this.calls
      }
    }
    expect(changed({ tracker: new Tracker() })).toBe("accepted")
  })

  it("as a function that has its methods", () => {
    expect(changed({ tracker: Object.assign(method, { track: method }) })).toBe("accepted")
  })
})
