import { assert, it } from "vitest"
import { rejectionOf } from "../rejectionOf.ts"

/** Options that a provider refuses as soon as it is made, by its name and without their secrets. */
export const itRefusesOptions = <Change extends object>(
  name: string,
  make: (change: Change) => unknown,
  wrong: ReadonlyArray<readonly [string, Change]>
): void => {
  it.each(wrong)("that can't be used fail at once: %s", async (_what, change) => {
    const { _tag, message } = await rejectionOf((async () => make(change))())
    assert.strictEqual(_tag, "ConfigurationError")
    assert.include(String(message), name)
    assert.notInclude(String(message), "secret")
  })
}
