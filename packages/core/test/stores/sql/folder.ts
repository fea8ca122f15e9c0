import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"

/** A folder for the tests of one file, removed after them; gives names of files that don't exist yet. */
export const temporaryFiles = (): (() => string) => {
  const folder = mkdtempSync(join(tmpdir(), "till402-stores-"))
  let made = 0
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return () => join(folder, `${++made}.sqlite`)
}
