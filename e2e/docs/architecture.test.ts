import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { foldersOfCore, importsBetween, layerRules, mayImport, packagesOfDomain } from "./coreFolders.ts"
import { documents, read, root, sources, tableBelow } from "./documents.ts"

/*
 * docs/architecture.md and docs/explain name files, functions and the order of imports; these tests compare them with
 * the code.
 */

const map = read("docs/architecture.md")
const pages = documents.filter(({ path }) => path.startsWith("docs/explain/"))
const allPages = documents.filter(({ path }) => path.startsWith("docs/"))
const core = "packages/core/src"

/** Code spans outside fences. */
const named = [map, ...pages].flatMap(({ text }) =>
  Array.from(text.replaceAll(/^```.*?^```/gms, "").matchAll(/`([^`\n]+)`/g), ([, span]) => span!)
)

const isPath = (text: string): boolean => /^[\w./-]+(?:\.ts|\.md|\/)$/.test(text)

/** Services and functions, and members such as `Till.layer`. */
const isIdentifier = (text: string): boolean => /^[A-Za-z]\w*(?:\.[A-Za-z]\w*)*(?:\(\))?$/.test(text)

describe("docs/architecture.md and its pages", () => {
  it("the map has at most 2,000 words, and no page more than 3,000", () => {
    const wordsOf = ({ text }: { readonly text: string }) => text.split(/\s+/).length
    expect(wordsOf(map)).toBeLessThanOrEqual(2_000)
    expect(allPages.length).toBeGreaterThan(40)
    for (const page of allPages) expect(wordsOf(page), page.path).toBeLessThanOrEqual(3_000)
  })

  it("names files and folders that exist", () => {
    const paths = named.filter(isPath)
    expect(paths).toContain("toll/machine/ChargeMachine.ts")
    expect(
      paths.filter((path) => !existsSync(join(root, core, path)) && !existsSync(join(root, path)))
    ).toEqual([])
  })

  it("names functions and services that exist in the sources", () => {
    const words = new Set(sources.flatMap((path) => read(path).text.match(/\w+/g) ?? []))
    const identifiers = named.filter((text) => !isPath(text) && isIdentifier(text))
    expect(identifiers).toContain("decideReplay")
    const unknown = identifiers.filter(
      (text) =>
        !text
          .replace("()", "")
          .split(".")
          .every((word) => words.has(word))
    )
    expect(unknown).toEqual([])
  })

  it("names functions in the file that contains them", () => {
    const rows = [
      ...tableBelow(map, "## Follow a payment through the code"),
      ...tableBelow(map, "## Follow an order through the code"),
      ...tableBelow(read("docs/explain/orders.md"), "## Refunds")
    ].map(([step, names, files]) => ({
      step,
      names: Array.from(names!.matchAll(/`(\w+)`/g), ([, name]) => name!),
      texts: Array.from(files!.matchAll(/`([\w./-]+\.ts)`/g), ([, path]) =>
        existsSync(join(root, core, path!)) ? read(`${core}/${path}`).text : read(path!).text
      )
    }))
    expect(rows.length).toBeGreaterThan(30)
    const wrong = rows.filter(
      ({ names, texts }) =>
        texts.length > 0 &&
        !names.every((name) => texts.some((text) => new RegExp(`\\b${name}\\b`).test(text)))
    )
    expect(wrong.map(({ step }) => step)).toEqual([])
  })

  it("allows every import of the core's folders", () => {
    const folders = foldersOfCore()
    expect(Object.keys(mayImport).filter((row) => !folders.includes(row))).toEqual([])
    const imports = importsBetween()
    expect(imports.length).toBeGreaterThan(100)
    const forbidden = imports.filter(({ from, to }) => !mayImport[from]!.includes(to))
    expect(forbidden).toEqual([])
  })

  it("is what the lint rules of folders are made of", () => {
    expect(JSON.parse(read("oxlint.layers.json").text)).toEqual(layerRules())
  })

  it("names the packages that the domain imports", () => {
    const packages = sources
      .filter((path) => path.startsWith(`${core}/domain/`))
      .flatMap((path) =>
        Array.from(read(path).text.matchAll(/\bfrom "((?:@\w+\/)?\w+)/g), ([, name]) => name!)
      )
    expect(new Set(packages)).toEqual(new Set(packagesOfDomain))
  })
})
