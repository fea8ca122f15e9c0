import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { UpstreamFailed } from "@till402/core"
import { Schema } from "effect"
import { unzipSync } from "fflate"
import { describe, expect, it } from "vitest"
import { Category, ProductType, VaultItem } from "../../../core/src/shop/goods/VaultItem.ts"
import { sampleShop, vaultItems } from "../../src/shop/index.ts"

const { vault } = sampleShop()
const context = { signal: new AbortController().signal }
const folder = join(import.meta.dirname, "../../vault")

const bytesOf = async (slug: string): Promise<Uint8Array> => {
  const opened = await vault.open({ slug }, context)
  if (!("body" in opened) || !(opened.body instanceof Uint8Array)) throw new Error("expected bytes")
  const { body, size } = opened
  expect(size).toBe(body.length)
  return body
}

describe("the shelf", () => {
  it("has valid items of all types and categories, each with a folder", async () => {
    const decode = Schema.decodeUnknownSync(VaultItem, { onExcessProperty: "error" })
    for (const item of vaultItems) expect(decode(item)).toEqual(item)
    expect(vaultItems.length).toBeGreaterThanOrEqual(12)
    expect(new Set(vaultItems.map(({ productType }) => productType))).toEqual(new Set(ProductType.literals))
    expect(new Set(vaultItems.map(({ category }) => category))).toEqual(new Set(Category.literals))
    expect(new Set(vaultItems.map(({ id }) => id)).size).toBe(vaultItems.length)
    const prices = vaultItems.map(({ price }) => price)
    expect([Math.min(...prices), Math.max(...prices)]).toEqual([1, 49])
    expect((await readdir(folder)).sort()).toEqual(vaultItems.map(({ slug }) => slug).sort())
  })
})

describe("open", () => {
  it.each(vaultItems)("$slug contains the files of its folder", async ({ slug }) => {
    const files = unzipSync(await bytesOf(slug))
    const names = (await readdir(join(folder, slug))).sort()
    expect(names.length).toBeGreaterThanOrEqual(2)
    expect(Object.keys(files)).toEqual(names.map((name) => `${slug}/${name}`))
    for (const name of names) {
      const content = await readFile(join(folder, slug, name))
      expect(Buffer.from(files[`${slug}/${name}`]!).equals(content)).toBe(true)
      if (name.endsWith(".json")) expect(() => JSON.parse(content.toString("utf8"))).not.toThrow()
    }
  })

  it("returns the same bytes every time", async () => {
    expect(Buffer.from(await bytesOf("csv-cleanup")).equals(await bytesOf("csv-cleanup"))).toBe(true)
  })

  it("opens only items on the shelf", async () => {
    for (const slug of ["", "..", "../src", "csv-cleanup/.."]) {
      await expect(vault.open({ slug }, context)).rejects.toBeInstanceOf(UpstreamFailed)
    }
  })
})
