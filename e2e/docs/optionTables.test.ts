import { describe, expect, it } from "vitest"
import { describedOptions } from "../../packages/core/src/till/settings/Settings.ts"
import { read } from "./documents.ts"
import { defaultOf, optionsOf, optionTypes, withTables } from "./optionTables.ts"

describe("docs/options.md and its pages", () => {
  it("have the tables that `npm run docs` writes", () => {
    for (const [path, text] of withTables()) expect(read(path).text, path).toBe(text)
  })
})

describe("the docstrings of options", () => {
  const documented = optionTypes.flatMap(([prefix, path, type]) =>
    optionsOf(path, type).map((option) => [`${prefix}${option.name}`, option] as const)
  )

  it("explain every option", () => {
    expect(documented.length).toBeGreaterThan(50)
    for (const [path, { text }] of documented) expect(text, path).not.toBe("")
  })

  it("have the defaults of the schemas", () => {
    const options = new Map(documented)
    for (const [path, notes] of describedOptions)
      if (notes.kind !== "other") expect(options.get(path)?.default, path).toBe(defaultOf(notes))
  })
})
