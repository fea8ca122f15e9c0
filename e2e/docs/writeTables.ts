import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { benchDrawings, readmeWithBench } from "./benchDrawings.ts"
import { layerRules } from "./coreFolders.ts"
import { demoDrawing } from "./demoDrawing.ts"
import { folderDrawings } from "./folderDrawings.ts"
import { root } from "./documents.ts"
import { withTables } from "./optionTables.ts"
import { stateDrawings } from "./stateDiagrams.ts"
import { writeTemplates } from "../../packages/till402/build/templates.ts"

/*
 * Writes what is generated in docs/: npm run docs
 */

const textOf = (path: string): string => {
  try {
    return readFileSync(join(root, path), "utf8")
  } catch {
    return ""
  }
}

const written = [
  ...withTables(),
  ["oxlint.layers.json", `${JSON.stringify(layerRules(), undefined, 2)}\n`],
  ...(await stateDrawings()),
  ...(await folderDrawings()),
  ...benchDrawings(),
  readmeWithBench(),
  demoDrawing()
] as const
for (const [path, text] of written) {
  const isUpToDate = textOf(path) === text
  if (!isUpToDate) writeFileSync(join(root, path), text)
  process.stdout.write(`${path} ${isUpToDate ? "is up to date" : "has been updated"}.\n`)
}
writeTemplates()
