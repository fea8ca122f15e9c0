import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./documents.ts"
import { withTables } from "./optionTables.ts"
import { stateDrawings } from "./stateDiagrams.ts"

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

const options = "docs/options.md"
for (const [path, text] of [[options, withTables(textOf(options))], ...(await stateDrawings())] as const) {
  const isUpToDate = textOf(path) === text
  if (!isUpToDate) writeFileSync(join(root, path), text)
  process.stdout.write(`${path} ${isUpToDate ? "is up to date" : "has been updated"}.\n`)
}
