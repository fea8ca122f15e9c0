import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type Owner, ownerFaults, readOwner } from "../../release/Owner.ts"
import {
  inOrder,
  type Manifest,
  publishedFolders,
  publishedManifest,
  publishedPage,
  readManifest,
  securityPage
} from "../../release/Publishing.ts"
import { root } from "../docs/documents.ts"

/*
 * What a release makes of the workspace's packages. The packed packages are tested in e2e/packed, and the command in
 * release.deep.test.ts and refused.deep.test.ts.
 */

const nobody: Owner = { homepage: "", repository: "", securityContact: "" }
const owner: Owner = {
  repository: "https://git.example/shop/till",
  homepage: "https://till.example",
  securityContact: "security@till.example"
}
const folders = publishedFolders(root)

describe.each(folders)("the manifest of %s", (folder) => {
  const manifest = readManifest(join(root, folder))

  it("says what the package is, under which license, for which Node, and requests provenance", () => {
    expect(manifest).toMatchObject({
      description: expect.stringMatching(/^[A-Z].{30,150}$/),
      keywords: expect.arrayContaining(["x402", "payments"]),
      license: "Apache-2.0",
      engines: { node: ">=22.19" },
      publishConfig: { access: "public", provenance: true }
    })
  })

  it("has no value that only the owner knows", () => {
    for (const field of ["repository", "homepage", "bugs", "author"])
      expect(manifest).not.toHaveProperty(field)
    const published = publishedManifest(manifest, folder, nobody)
    for (const field of ["repository", "homepage"]) expect(published).not.toHaveProperty(field)
  })

  it("gets the owner's values, and loses what only the workspace uses", () => {
    const published = publishedManifest(manifest, folder, owner)
    expect(published).toMatchObject({
      homepage: owner.homepage,
      repository: { type: "git", url: "git+https://git.example/shop/till.git", directory: folder }
    })
    expect(Object.keys(published.exports ?? {})).toEqual(Object.keys(manifest.exports ?? {}))
    expect(JSON.stringify(published.exports)).not.toContain("/src/")
    for (const field of ["scripts", "devDependencies"]) expect(published).not.toHaveProperty(field)
  })
})

it("changesets raises all packages together", () => {
  const { fixed } = JSON.parse(readFileSync(join(root, ".changeset", "config.json"), "utf8")) as {
    readonly fixed: ReadonlyArray<ReadonlyArray<string>>
  }
  const names = folders.map((folder) => readManifest(join(root, folder)).name)
  expect(fixed.map((group) => group.toSorted())).toEqual([names.toSorted()])
})

describe("owner.json", () => {
  it("is refused while a value is missing", () => {
    expect(ownerFaults(nobody)).toEqual([
      expect.stringContaining("repository is empty"),
      expect.stringContaining("homepage is empty"),
      expect.stringContaining("securityContact is empty")
    ])
    expect(ownerFaults(owner)).toEqual([])
    expect(ownerFaults({ ...owner, securityContact: "https://git.example/shop/till/security" })).toEqual([])
  })

  it.each([
    ["repository", "git@git.example:shop/till.git"],
    ["repository", "https://git.example/shop/till.git"],
    ["repository", "https://git.example/shop"],
    ["homepage", "http://till.example"],
    ["homepage", "till.example"],
    ["securityContact", "security"]
  ])("is refused with the %s %s", (name, value) => {
    expect(ownerFaults({ ...owner, [name]: value })).toEqual([
      expect.stringContaining(`owner.json: ${name} must be`)
    ])
  })

  it("of this repository is empty or valid", () => {
    const wrong = ownerFaults(readOwner(root)).filter((fault) => !fault.includes("is empty"))
    expect(wrong).toEqual([])
  })
})

describe("a page of a package", () => {
  const text = [
    "See [options](../../docs/options.md#the-secret), [a",
    "`list`](../../docs/errors.md), [above](#top), [x402](https://x402.org).",
    "![states](../../docs/states.svg)",
    "```sh",
    "[not](../../a/link.md)",
    "```"
  ].join("\n")
  const page = { path: "packages/koa/README.md", isBeside: () => false }

  it("links the owner's repository, at the version", () => {
    expect(publishedPage(text, page, "1.2.3", owner)).toBe(
      [
        "See [options](https://git.example/shop/till/blob/v1.2.3/docs/options.md#the-secret), [a",
        "`list`](https://git.example/shop/till/blob/v1.2.3/docs/errors.md), [above](#top), [x402](https://x402.org).",
        "![states](https://git.example/shop/till/raw/v1.2.3/docs/states.svg)",
        "```sh",
        "[not](../../a/link.md)",
        "```"
      ].join("\n")
    )
  })

  it("links pages beside it as they are", () => {
    const inDocs = { path: "docs/mail.md", isBeside: (target: string) => target === "docs/options.md" }
    expect(publishedPage("[a](options.md#x), [b](../AGENTS.md)", inDocs, "1.0.0", owner)).toBe(
      "[a](options.md#x), [b](https://git.example/shop/till/blob/v1.0.0/AGENTS.md)"
    )
  })

  it("has text instead of links while there is no repository", () => {
    expect(publishedPage(text, page, "1.2.3", nobody)).toMatch(
      /^See options, a\n`list`, \[above\]\(#top\), \[x402\]\(https:\/\/x402\.org\)\.\nstates\n/
    )
  })
})

it("SECURITY.md has a place for the contact", () => {
  const text = readFileSync(join(root, "SECURITY.md"), "utf8")
  expect(securityPage(text, owner)).toContain("<!-- contact -->security@till.example<!-- /contact -->")
  expect(() => securityPage("# Security", owner)).toThrow("no place")
})

it("packages are published after those that they need", () => {
  const all = folders.map((folder) => ({ manifest: readManifest(join(root, folder)) }))
  const order = inOrder(all).map(({ manifest }) => manifest)
  expect(order).toHaveLength(folders.length)
  const late = order.flatMap(({ dependencies = {}, name }: Manifest, index) =>
    Object.keys(dependencies)
      .filter((needed) => order.findIndex((other) => other.name === needed) > index)
      .map((needed) => `${name} before ${needed}`)
  )
  expect(late).toEqual([])
})

describe("the workflows of a public host", () => {
  it.each(["ci.yml", "release.yml"])("%s runs commands that exist", (name) => {
    const text = readFileSync(join(root, ".github", "workflows", name), "utf8")
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      readonly scripts: Readonly<Record<string, string>>
    }
    const commands = Array.from(text.matchAll(/\brun: (.+)/g), ([, command]) => command!)
    expect(commands.some((command) => command.includes("npm run release -- --dry-run"))).toBe(true)
    for (const command of commands) {
      const [script] = /(?<=npm run )\S+/.exec(command) ?? []
      if (script !== undefined) expect(scripts).toHaveProperty(script)
      if (command.startsWith(".ci/")) expect(existsSync(join(root, command))).toBe(true)
    }
  })
})
