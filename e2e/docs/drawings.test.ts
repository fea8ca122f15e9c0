import { describe, expect, it } from "vitest"
import { demoDrawing } from "./demoDrawing.ts"
import { read } from "./documents.ts"
import { folderDrawings } from "./folderDrawings.ts"
import { stateDrawings } from "./stateDiagrams.ts"

describe("the drawings in docs/", () => {
  it("are those that `npm run docs` draws", async () => {
    for (const [path, svg] of [...(await stateDrawings()), ...(await folderDrawings()), demoDrawing()])
      expect(read(path).text, path).toBe(svg)
  })
})
