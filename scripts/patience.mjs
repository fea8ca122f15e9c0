/*
 * A setup file of vitest. `vi.waitFor` gives up after a second, which a busy machine loses: it waits as long as
 * `expect.poll` does here.
 */
import { vi } from "vitest"

const patientMillis = 60_000
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
