import { describe, expect, it } from "vitest"
import { ConfigurationError } from "@till402/core"
import { chargeLeaseMillis, waitMillis } from "../../../src/till/assemble.ts"
import { configured } from "../configured.ts"
import { queryMillis } from "../../../src/toll/perform/queryChain.ts"
import { boundText, durationText } from "../../../src/till/settings/OptionSchema.ts"
import { describedOptions } from "../../../src/till/settings/Settings.ts"

const settings = {
  baseUrl: "https://shop.example",
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  networks: ["base"],
  secret: "a text that nobody can guess, of 32 characters or more"
}

/** Settings with one value at a path such as `limits.unsettled` or `networks[].confirmations`. */
const withValue = (path: string, value: unknown): typeof settings => {
  const [group = "", name] = path.split(".")
  if (group === "networks[]" && name !== undefined)
    return Object.assign({ ...settings }, { networks: [{ network: "base", [name]: value }] })
  return Object.assign({ ...settings }, { [group]: name === undefined ? value : { [name]: value } })
}

const isAccepted = (path: string, value: unknown): boolean => {
  try {
    configured(withValue(path, value))
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    return false
  }
}

const bounds = [...describedOptions].filter(
  ([path, { kind }]) => !/^(?:facilitator\.|secret\[\])/.test(path) && kind !== "other" && kind !== "group"
)

describe("every option", () => {
  it.each(bounds)("%s accepts its bounds and default, and nothing past them", (path, bound) => {
    expect(isAccepted(path, undefined)).toBe(true)
    if ("default" in bound) expect(isAccepted(path, bound.default)).toBe(true)
    if (bound.kind === "number") {
      for (const value of [bound.minimum, bound.maximum])
        expect(isAccepted(path, value), `${value}`).toBe(true)
      const wrong = [
        bound.minimum - 1,
        bound.maximum + 1,
        bound.minimum + 0.5,
        Number.NaN,
        String(bound.maximum),
        null
      ]
      for (const value of wrong) expect(isAccepted(path, value), `${value}`).toBe(false)
    }
    if (bound.kind === "dollars") {
      expect(isAccepted(path, "0.000001")).toBe(true)
      expect(isAccepted(path, "0")).toBe(bound.minimum === "zero")
      for (const value of ["-1", "1,00", "", 1, null]) expect(isAccepted(path, value), `${value}`).toBe(false)
    }
    if (bound.kind === "path") {
      for (const value of [false, "/a", "/a/b.json"]) expect(isAccepted(path, value), `${value}`).toBe(true)
      for (const value of ["a", "/x402/a", "/a b", "", true])
        expect(isAccepted(path, value), `${value}`).toBe(false)
    }
  })
})

describe("the lease of a charge", () => {
  const boundsOf = (path: string): readonly [number, number, number] => {
    const notes = describedOptions.get(path)
    if (notes?.kind !== "number") throw new Error(`${path} has no bounds`)
    return [notes.minimum, notes.default ?? notes.minimum, notes.maximum]
  }
  /** One read of the balance, and the pause before it. */
  const balanceMillis = 5_500

  it.each(
    boundsOf("upstreamTimeoutMillis").flatMap((workMillis) =>
      boundsOf("facilitator.settleTimeoutMillis").map((settleMillis) => [workMillis, settleMillis])
    )
  )("outlasts its steps, with %s ms of work and %s ms to settle", (workMillis = 0, settleMillis = 0) => {
    const settings = configured(withValue("upstreamTimeoutMillis", workMillis))
    const leaseMillis = chargeLeaseMillis(
      settings,
      { canRead: () => true },
      { settleTimeoutMillis: settleMillis }
    )
    // Funds, work and settlement in either order, proof.
    const claimed = waitMillis + balanceMillis + workMillis + settleMillis + queryMillis
    // Whether it had moved, settlement, proof, work.
    const takenOver = queryMillis + settleMillis + queryMillis + workMillis
    expect(leaseMillis).toBeGreaterThan(claimed)
    expect(leaseMillis).toBeGreaterThan(takenOver)
  })
})

describe("a bound in a message", () => {
  it.each([
    [0, undefined],
    [1, undefined],
    [1_000, "1 second"],
    [90_000, "90 seconds"],
    [600_000, "10 minutes"],
    [3_600_000, "1 hour"],
    [7 * 86_400_000, "7 days"]
  ])("%s milliseconds are %s", (millis, text) => {
    expect(durationText(millis)).toBe(text)
  })

  it("has its duration", () => {
    expect(boundText(60_000, "milliseconds")).toBe("60000 (1 minute)")
    expect(boundText(60_000, "payments")).toBe("60000")
  })
})
