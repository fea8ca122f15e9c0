import { readdir, readFile } from "node:fs/promises"
import { join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { UpstreamFailed, type VaultItem, type VaultOptions } from "@till402/core"
import { type Zippable, zipSync } from "fflate"

/** The package's `vault/` folder: two levels up, both in `src` and in `dist`. */
const folder = fileURLToPath(new URL("../../vault", import.meta.url))

/** Local time without a zone: ZIP stores local time, so archives are the same in every zone. */
const modified = "2025-06-01T12:00:00"

/** The files of an item by their archive path, `<slug>/<file>`, sorted. */
const filesOf = async (slug: string, signal: AbortSignal): Promise<Zippable> => {
  const root = join(folder, slug)
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  const files: Zippable = {}
  for (const path of paths) {
    const name = relative(folder, path).split(sep).join("/")
    files[name] = [await readFile(path, { signal }), { mtime: modified }]
  }
  return files
}

/** Opens items as reproducible ZIP archives of the folders in `vault/`. */
export const vault = (items: ReadonlyArray<VaultItem>): VaultOptions => ({
  open: async ({ slug }, { signal }) => {
    // Only known slugs reach the file system.
    if (!items.some((item) => item.slug === slug)) {
      throw new UpstreamFailed({ port: "vault", cause: `no item ${JSON.stringify(slug)}` })
    }
    const body = zipSync(await filesOf(slug, signal), { level: 9 })
    return { body, size: body.length }
  }
})
