import { existsSync, readFileSync } from "node:fs"
import { basename, join, relative } from "node:path"
import { memory, Till, type TillOptions } from "@till402/core"
import { fakeFacilitator } from "@till402/testing"
import { sampleShop } from "@till402/sandbox"
import { trackingNumbers } from "@till402/sandbox/shop"
import { beforeAll, describe, expect, it } from "vitest"
import { catalogue } from "../../packages/sandbox/src/shop/Catalogue.ts"
import { compile } from "./compile.ts"
import {
  anchorsOf,
  documents,
  examplesOf,
  linksOf,
  pagesNamedIn,
  read,
  root,
  type Sample,
  samplesOf,
  sources,
  tableBelow
} from "./documents.ts"
import { tablePages } from "./optionTables.ts"
import { expectedErrors, firstErrors, optionSamples } from "./optionTypes.ts"

const readme = read("README.md")
const sandbox = read("docs/sandbox.md")
const minute = 60_000

/** A line with what the example of a comment may use without importing it: `exampleContext.ts`. */
const importsOfExamples = async () => {
  const context = await import("./exampleContext.ts")
  const declared = readFileSync(join(import.meta.dirname, "exampleContext.ts"), "utf8").matchAll(
    /^export declare const (\w+)/gm
  )
  const names = [...Object.keys(context), ...Array.from(declared, ([, name]) => name!), "TrackerOptions"]
  return ({ code, path }: Sample, folder: string): string => {
    const used = names.filter(
      (name) =>
        new RegExp(`(?<![\\w"']|(?<!\\.)\\.)${name}\\b(?!['"])`).test(code) &&
        !new RegExp(`\\b(?:const|let|import|type|class) (?:\\{[^}]*)?${name}\\b`).test(code)
    )
    const from = relative(folder, join(import.meta.dirname, "exampleContext.ts")).replaceAll("\\", "/")
    const values = used.filter((name) => name !== "TrackerOptions")
    const types = used.filter((name) => name === "TrackerOptions")
    const adapter = /^packages\/adapter-(\w+)\//.exec(path)?.[1]
    return [
      `import { ${values.join(", ")} } from "${from}";`,
      `import type { ${types.join(", ")} } from "${from}";`,
      adapter === undefined ? "" : `import { till402 } from "@till402/${adapter}";`
    ].join(" ")
  }
}

describe("samples", () => {
  const good = { path: "good.md", line: 3, code: 'export const price = "0.01"' }
  const bad = { path: "docs/bad.md", line: 7, code: "const first = 1\nconst second: string = first" }
  const ofDocuments = documents.flatMap(samplesOf)
  const ofSources = sources.flatMap((path) => examplesOf(read(path)))
  const isOfBad = (line: string): boolean => line.startsWith(`${bad.path}:`)
  const isOfOption = (line: string): boolean => optionSamples.some(({ path }) => line.startsWith(`${path}:`))
  const isOfSource = (line: string): boolean => sources.some((path) => line.startsWith(`${path}:`))

  /** What the compiler says, by lines. One run compiles all samples: most of its time goes to what they import. */
  let said: ReadonlyArray<string>
  beforeAll(async () => {
    const importsFor = await importsOfExamples()
    const output = await compile(
      [good, bad, ...ofDocuments, ...ofSources, ...optionSamples],
      (sample, folder) => (ofSources.includes(sample) ? importsFor(sample, folder) : "")
    )
    // The details of an error are indented below it.
    said = output.split(/\n(?=\S)/).map((line) => line.trimEnd())
  }, 10 * minute)

  it("that do not compile are reported with their place", () => {
    expect(said.filter(isOfBad)).toEqual([expect.stringMatching(/^docs\/bad\.md:8:7: error TS2322: .*$/)])
  })

  it("of every document compile", () => {
    expect(ofDocuments.length).toBeGreaterThan(10)
    expect(said.filter((line) => !isOfBad(line) && !isOfSource(line) && !isOfOption(line))).toEqual([])
  })

  it("in the comments of the sources compile", () => {
    expect(ofSources.length).toBeGreaterThan(10)
    expect(said.filter(isOfSource)).toEqual([])
  })

  it("of options have names to complete, and errors that name the option that is wrong", () => {
    expect(firstErrors(said)).toEqual(expectedErrors)
  })
})

describe("links", () => {
  it.each(documents.map((document) => [document.path, document] as const))(
    "of %s lead somewhere",
    (_, document) => {
      const broken = linksOf(document).filter(({ anchor, path }) => {
        if (!existsSync(join(root, path))) return true
        return anchor !== undefined && !anchorsOf(read(path)).includes(anchor)
      })
      expect(broken.map(({ target }) => target)).toEqual([])
    }
  )

  it("of error texts lead to a page of their own package, and to its heading", () => {
    const named = sources.flatMap((path) => pagesNamedIn(read(path)).map((link) => ({ path, ...link })))
    expect(named.length).toBeGreaterThan(3)
    const broken = named.filter(({ heading, page, path }) => {
      const manifest = read(`${path.split("/").slice(0, 2).join("/")}/package.json`)
      const { files } = JSON.parse(manifest.text) as { readonly files: ReadonlyArray<string> }
      if (!files.includes("docs") || !existsSync(join(root, page))) return true
      const headings = read(page).text.match(/(?<=^#+ ).+$/gm)
      return heading !== undefined && headings?.includes(heading) !== true
    })
    expect(broken).toEqual([])
  })

  it("of texts are found, and not those of comments", () => {
    const text = [
      "/** See docs/comment.md */",
      "/*\n * docs/comment.md\n */",
      "  // docs/comment.md",
      'fail(`Wrong: ${name}. See docs/options.md, "The secret"`)',
      'fail("docs/errors.md lists them")'
    ].join("\n")
    expect(pagesNamedIn({ path: "a.ts", text })).toEqual([
      { page: "docs/options.md", heading: "The secret" },
      { page: "docs/errors.md", heading: undefined }
    ])
  })

  it("of the README lead to every document in docs", () => {
    const linked = linksOf(readme).map(({ path }) => path)
    for (const { path } of documents) if (/^docs\/[^/]+$/.test(path)) expect(linked).toContain(path)
  })

  it("of some document lead to every other one", () => {
    const linked = new Set(documents.flatMap((document) => linksOf(document).map(({ path }) => path)))
    const below = documents.filter(({ path }) => path.startsWith("docs/"))
    expect(below.filter(({ path }) => !linked.has(path)).map(({ path }) => path)).toEqual([])
  })
})

describe("commands", () => {
  it("named in the documents are scripts of the workspace", () => {
    const { scripts } = JSON.parse(read("package.json").text) as { scripts: Record<string, string> }
    const named = documents.flatMap(({ text }) =>
      Array.from(text.matchAll(/\bnpm run ([\w-]+)/g), ([, name]) => name!)
    )
    expect(named).toContain("demo")
    for (const name of named) expect(Object.keys(scripts)).toContain(name)
  })
})

describe("docs/sandbox.md", () => {
  it("lists the tracking numbers as they are", () => {
    const expected = trackingNumbers.map(({ code, httpStatus, number, satisfiedBy, shows, status }) => [
      `\`${number}\``,
      `${httpStatus} ${(httpStatus === 200 ? status : code) ?? ""}`,
      shows,
      satisfiedBy === undefined
        ? ""
        : `\`${new URLSearchParams(
            Object.entries(satisfiedBy).map(([name, value]) => [name, String(value)])
          ).toString()}\` → ${status}`
    ])
    expect(tableBelow(sandbox, "### Tracking numbers")).toEqual(expected)
  })

  it("counts the sample shop's goods", () => {
    expect(sandbox.text).toContain(`${catalogue.length} made-up products`)
    expect(sandbox.text).toContain(`${sampleShop().vaultItems.length} vault items`)
  })

  it("lists products that can't be bought, and why", async () => {
    const { fulfilment } = sampleShop()
    const rows = tableBelow(sandbox, "### Products that can't be bought")
    expect(rows.length).toBeGreaterThan(0)
    const context = { signal: new AbortController().signal }
    for (const [asin, , shipTo, outcome] of rows) {
      const [country = "", state = ""] = shipTo!.split(" ")
      const quoting = fulfilment.quote(
        {
          product: { source: "marketplace_a", asin: asin!.replaceAll("`", ""), productUrl: undefined },
          shippingAddress: { name: "Ada", line1: "1 Way", city: "Town", state, postalCode: "1", country },
          email: "ada@example.com"
        },
        context
      )
      const thrown: unknown = await quoting.then(
        () => undefined,
        (error: unknown) => error
      )
      expect(thrown, asin).toMatchObject({ _tag: tags[outcome!] })
    }
  })
})

describe("the README", () => {
  it("names every route with its price", async () => {
    const { ports } = sampleShop()
    const till = Till.make({
      baseUrl: "https://shop.example",
      payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
      networks: ["base-sepolia"],
      facilitator: fakeFacilitator(),
      trustFacilitator: true,
      secret: "no secret at all, since this is a test",
      storage: memory(),
      onEvent: () => undefined,
      ...ports
    } satisfies TillOptions)
    const response = await till.fetch(new Request("https://shop.example/openapi.json"))
    const { paths } = (await response.json()) as OpenApiPaths
    await till.dispose()
    // The others are free.
    const paid = Object.entries(paths).filter(([path]) => path.startsWith("/x402/"))
    const priced = paid.flatMap(([path, operations]) =>
      Object.entries(operations).map(
        ([
          method,
          {
            "x-payment-info": { price }
          }
        ]) => ({
          route: `\`${method.toUpperCase()} ${path}\``,
          price: price.mode === "fixed" ? price.amount : "quoted"
        })
      )
    )
    const listed = tableBelow(readme, "## Routes and prices").map(([route, price]) => ({ route, price }))
    const byRoute = (left: { route?: string | undefined }, right: { route?: string | undefined }) =>
      String(left.route) < String(right.route) ? -1 : 1
    expect(listed.toSorted(byRoute)).toEqual(priced.toSorted(byRoute))
  })
})

const tags: Readonly<Record<string, string>> = {
  "400 PRODUCT_NOT_FOUND": "ProductNotFound",
  "400 PRODUCT_UNAVAILABLE": "ProductUnavailable",
  "400 ADDRESS_NOT_SERVED": "AddressNotServed"
}

interface OpenApiPaths {
  readonly paths: Record<
    string,
    Record<string, { "x-payment-info": { price: { mode: string; amount?: string } } }>
  >
}

describe("docs/errors.md", () => {
  const { text } = read("docs/errors.md")
  const core = sources.filter((path) => path.startsWith("packages/core/src/"))
  const found = (pattern: RegExp, from: ReadonlyArray<string>): ReadonlyArray<string> =>
    from.flatMap((path) => Array.from(read(path).text.matchAll(pattern), ([, code]) => code!))
  const unnamed = (codes: ReadonlyArray<string>): ReadonlyArray<string> =>
    codes.filter((code) => !text.includes(`\`${code}\``))

  it("names every code of an error", () => {
    const codes = found(/\bcode: "([A-Z][A-Z_]+)"(?!, noun:)/g, core)
    expect(codes).toContain("SETTLEMENT_PENDING")
    expect(unnamed(codes)).toEqual([])
    const ports = found(/\{ code: "([A-Z_]+)", noun:/g, ["packages/core/src/shop/ports/ApiFailures.ts"])
    // No response depends on the mailer.
    const ofCallers = ports.filter((port) => port !== "MAIL")
    expect(ofCallers).toContain("MARKETPLACE")
    expect(unnamed(ofCallers.flatMap((port) => [`${port}_ERROR`, `${port}_UNAVAILABLE`]))).toEqual([])
  })

  it("names every reason for which a payment is refused", () => {
    const reasons = [
      ...found(/\bcode: "([a-z][a-z_]+)"/g, core),
      ...found(/\brefused?\(\s*"([a-z_]+)"/g, core)
    ]
    expect(reasons).toContain("resource_mismatch")
    expect(reasons).toContain("quote_expired")
    const ofPayments = tableBelow(read("docs/console.md"), "## Payments as events").map(([code]) => code)
    expect(ofPayments).toContain("`payment_settled`")
    expect(unnamed(reasons.filter((code) => !ofPayments.includes(`\`${code}\``)))).toEqual([])
  })
})

describe("docs/events.md", () => {
  it("lists the code of every event, and no other", () => {
    const reported = sources
      .filter((path) => path.startsWith("packages/core/src/"))
      .flatMap((path) => Array.from(read(path).text.matchAll(/^(?! *\*).*\breport\(\s*"\w+",\s*"(\w+)"/gm)))
      .map(([, code]) => code)
    expect(reported).toContain("order_needs_operator")
    const listed = tableBelow(read("docs/events.md"), "## All events").map(([code]) =>
      code?.replaceAll("`", "")
    )
    expect(listed.toSorted()).toEqual([...new Set(reported)].toSorted())
  })
})

describe("docs/options.md and its pages", () => {
  it("name every option", () => {
    const text = tablePages.map((path) => read(path).text).join("\n")
    const declared = {
      TillOptions: "till/settings/TillOptions.ts",
      TillSettings: "till/settings/TillSettings.ts",
      TillHooks: "till/settings/TillHooks.ts",
      LimitOptions: "till/settings/LimitOptions.ts",
      RefundLimitOptions: "till/settings/LimitOptions.ts",
      NetworkOptions: "till/settings/NetworkOptions.ts",
      Prices: "shop/routes/ShopSettings.ts",
      FacilitatorOptions: "toll/facilitator/FacilitatorOptions.ts",
      SecretKey: "runtime/Secrets.ts"
    }
    for (const [name, path] of Object.entries(declared)) {
      const source = read(`packages/core/src/${path}`).text
      const block = new RegExp(`^export interface ${name}(?: extends [\\w, ]+)? \\{\\n(.*?)^\\}`, "ms").exec(
        source
      )?.[1]
      expect(block, name).toBeDefined()
      const options = Array.from(block!.matchAll(/^ {2}readonly (\w+)\??:/gm), ([, option]) => option!)
      expect(options.length, name).toBeGreaterThan(0)
      expect(
        options.filter((option) => !text.includes(`\`${option}\``)),
        name
      ).toEqual([])
    }
  })
})

describe("packages", () => {
  it("have a README that shows how to install them", () => {
    for (const manifest of documents.filter(({ path }) => path.startsWith("packages/"))) {
      const folder = manifest.path.slice(0, -basename(manifest.path).length)
      const { name } = JSON.parse(read(`${folder}package.json`).text) as { name: string }
      expect(manifest.text).toContain(`npm install ${name}`)
    }
  })
})
