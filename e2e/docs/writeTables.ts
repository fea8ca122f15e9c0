import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { read, root } from "./documents.ts"
import { withTables } from "./optionTables.ts"

/*
 * Writes the generated tables of docs/options.md: npm run docs
 */
const path = "docs/options.md"
const { text } = read(path)
const written = withTables(text)
writeFileSync(join(root, path), written)
process.stdout.write(written === text ? `${path} is up to date.\n` : `${path} has been updated.\n`)
