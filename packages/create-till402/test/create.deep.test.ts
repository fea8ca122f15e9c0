import { tmpdir } from "node:os"
import { expect, it } from "vitest"
import { create } from "./creating.ts"

it("says what is wrong where it makes no app", async () => {
  const unknown = await create(tmpdir(), "other", "--framework", "rails")
  expect(unknown).toEqual({ code: 2, complaint: expect.stringContaining("effect") })
})
