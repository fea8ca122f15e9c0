import { describe, expect, it } from "vitest"
import { read } from "./documents.ts"
import { stateDrawings } from "./stateDiagrams.ts"

describe("the drawings of states in docs/", () => {
  it("are those that `npm run docs` draws", async () => {
    for (const [path, svg] of await stateDrawings()) expect(read(path).text, path).toBe(svg)
  })
})
