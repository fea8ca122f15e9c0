import { expect, it } from "vitest"
import { measureProcess } from "../../src/day/MemoryProbe.ts"

// MemoryProbe.deep.test.ts has what it measures.
it("memory is not measured without collections", async () => {
  await expect(measureProcess()).rejects.toThrow("memory is measured under --expose-gc")
})
