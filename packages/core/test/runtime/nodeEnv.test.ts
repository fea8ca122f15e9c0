import { afterEach, expect, it, vi } from "vitest"
import { printProviderFailure } from "../../src/ports/ProviderFailure.ts"
import { nodeEnv } from "../../src/runtime/nodeEnv.ts"
import { isTestRun } from "../../src/runtime/nodeEnv.ts"

/** What each reader says where the runtime has this `process`. */
const readIn = (runtime: unknown) => {
  const printed = vi.spyOn(console, "error").mockImplementation(() => undefined)
  vi.stubGlobal("process", runtime)
  try {
    printProviderFailure({ port: "tracking", operation: "track", error: "boom", stack: undefined })
    return { nodeEnv: nodeEnv(), isTestRun: isTestRun(), isPrinted: printed.mock.calls.length > 0 }
  } finally {
    vi.unstubAllGlobals()
  }
}

afterEach(() => {
  vi.restoreAllMocks()
})

it.each([
  ["test", { nodeEnv: "test", isTestRun: true, isPrinted: true }],
  ["development", { nodeEnv: "development", isTestRun: false, isPrinted: true }],
  ["production", { nodeEnv: "production", isTestRun: false, isPrinted: false }],
  [undefined, { nodeEnv: "", isTestRun: false, isPrinted: true }]
])("NODE_ENV is %s", (mode, read) => {
  expect(readIn({ env: { NODE_ENV: mode } })).toEqual(read)
})

it.each([
  ["has no environment", undefined],
  [
    "denies its environment, as Deno does",
    {
      get env() {
        throw new Error("Requires env access")
      }
    }
  ],
  [
    "denies the variable",
    {
      env: new Proxy(
        {},
        {
          get: () => {
            throw new Error('Requires env access to "NODE_ENV"')
          }
        }
      )
    }
  ]
])("a runtime that %s is no test, and prints no error that may quote a caller", (_, runtime) => {
  expect(readIn(runtime)).toEqual({ nodeEnv: undefined, isTestRun: false, isPrinted: false })
})
