/*
 * Runs before each test file.
 *
 * `vi.waitFor` gives up after a second, which a busy machine loses: it waits as long as `expect.poll` does here.
 *
 * `@hono/node-server` replaces the global `Request` and `Response` by its own, which lack some methods. The next file of
 * the worker gets Node's own again.
 */
import { vi } from "vitest"

const patientMillis = 120_000
const kept = Symbol.for("till402.globals")

globalThis[kept] ??= ["Request", "Response", "fetch"].map((name) => [
  name,
  Object.getOwnPropertyDescriptor(globalThis, name)
])
for (const [name, descriptor] of globalThis[kept]) Object.defineProperty(globalThis, name, descriptor)

const isPatient = Symbol.for("till402.patient")
if (!vi.waitFor[isPatient]) {
  const { waitFor } = vi
  const patiently = (callback, options) =>
    waitFor(callback, {
      timeout: patientMillis,
      ...(typeof options === "number" ? { timeout: options } : options)
    })
  vi.waitFor = Object.assign(patiently, { [isPatient]: true })
}
