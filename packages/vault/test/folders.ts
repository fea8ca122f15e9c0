import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"

/** A folder for one test. */
export const temporaryFolder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "till402-vault-test-"))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Writes files by their paths below a folder, in their order. */
export const writeFiles = (folder: string, files: Readonly<Record<string, string | Uint8Array>>): string => {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
  return folder
}

/** A listing that can be published. */
export const listing = {
  slug: "pull-request-review",
  title: "Pull Request Review",
  productType: "skill",
  cardDescription: "Reviews a change the way a careful colleague would.",
  price: 9,
  category: "development",
  creator: { name: "Example Press", type: "company" },
  coverImageUrl: "https://shop.example/covers/review.png"
} as const
