import { globSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, posix } from "node:path"
import type { Owner } from "./Owner.ts"

/*
 * Makes the published form of a package from that of the workspace: its manifest, and pages whose links hold outside of
 * the repository.
 */

/** A `package.json`, with the fields that are read here. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

export const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest

/** Folders of the packages that are published, below `root`. */
export const publishedFolders = (root: string): ReadonlyArray<string> =>
  readdirSync(join(root, "packages"))
    .map((name) => `packages/${name}`)
    .filter((folder) => readManifest(join(root, folder)).private !== true)

/** Leads to TypeScript sources, which stay in the repository. */
const sourceCondition = "@till402/source"

/**
 * The manifest of a package as it is published: without what only the workspace uses, and with the owner's values, as
 * far as they are given.
 */
export const publishedManifest = (manifest: Manifest, folder: string, owner: Owner): Manifest => {
  const {
    devDependencies: _dev,
    scripts: _scripts,
    exports = {},
    ...rest
  } = manifest as Manifest & {
    readonly devDependencies?: unknown
    readonly scripts?: unknown
  }
  const { homepage, repository } = owner
  return {
    ...rest,
    exports: Object.fromEntries(
      Object.entries(exports).map(([entry, { [sourceCondition]: _source, ...conditions }]) => [
        entry,
        conditions
      ])
    ),
    ...(homepage === "" ? {} : { homepage }),
    ...(repository === ""
      ? {}
      : { repository: { type: "git", url: `git+${repository}.git`, directory: folder } })
  }
}

/** A page of a package: where it is in the repository, and which pages lie beside it in the tarball. */
export interface Page {
  /** Path below the repository's root. */
  readonly path: string
  /** Whether the tarball has the repository's file `target` at the same relative path. */
  readonly isBeside: (target: string) => boolean
}

/** Replaces the links and pictures of a Markdown text, except in code blocks. */
const replaceLinks = (
  text: string,
  link: (picture: string, label: string, target: string) => string
): string =>
  text
    .split(/(^```.*?^```)/gms)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replaceAll(
            /(!?)\[((?:[^[\]]|\[[^[\]]*\])*)\]\(([^)\s]+)\)/g,
            (_, picture: string, label: string, target: string) => link(picture, label, target)
          )
    )
    .join("")

/**
 * A page whose relative links hold in the package: those to pages beside it stay, others lead to `version` in the
 * owner's repository. Without a repository only their text stays.
 */
export const publishedPage = (text: string, page: Page, version: string, { repository }: Owner): string =>
  replaceLinks(text, (picture, label, target) => {
    const [file = "", anchor] = target.split("#")
    const path = posix.join(posix.dirname(page.path), file)
    if (/^[a-z]+:/.test(target) || file === "" || page.isBeside(path))
      return `${picture}[${label}](${target})`
    if (repository === "") return label
    const place = `${repository}/${picture === "" ? "blob" : "raw"}/v${version}/${path}`
    return `${picture}[${label}](${place}${anchor === undefined ? "" : `#${anchor}`})`
  })

const rewrite = (file: string, change: (text: string) => string): void =>
  writeFileSync(file, change(readFileSync(file, "utf8")))

/**
 * Turns the built packages below `root` into their published form, in place. Only for a copy of the repository.
 */
export const preparePackages = (root: string, owner: Owner): void => {
  for (const folder of publishedFolders(root)) {
    const home = join(root, folder)
    const manifest = readManifest(home)
    const { version } = manifest
    const publish = (file: string, page: Page): void =>
      rewrite(join(home, file), (text) => publishedPage(text, page, version, owner))
    // Registries show the README alone.
    publish("README.md", { path: `${folder}/README.md`, isBeside: () => false })
    const documents = globSync("docs/**/*.md", { cwd: home }).map((file) => file.replaceAll("\\", "/"))
    for (const path of documents) publish(path, { path, isBeside: (target) => documents.includes(target) })
    rewrite(
      join(home, "package.json"),
      () => `${JSON.stringify(publishedManifest(manifest, folder, owner), undefined, 2)}\n`
    )
  }
}

const contact = /(?<=<!-- contact -->).*?(?=<!-- \/contact -->)/s

/** SECURITY.md with the address for reports. */
export const securityPage = (text: string, { securityContact }: Owner): string => {
  if (!contact.test(text)) throw new Error("SECURITY.md has no place for the contact")
  return text.replace(contact, () => securityContact)
}

/** Packages in the order in which they can be published: each after those of `all` that it needs. */
export const inOrder = <A extends { readonly manifest: Manifest }>(
  all: ReadonlyArray<A>
): ReadonlyArray<A> => {
  const byName = new Map(all.map((one) => [one.manifest.name, one]))
  const ordered = new Set<A>()
  const add = (one: A): void => {
    // Only dependencies: peers may refer to each other.
    for (const name of Object.keys(one.manifest.dependencies ?? {})) {
      const needed = byName.get(name)
      if (needed !== undefined && !ordered.has(needed)) add(needed)
    }
    ordered.add(one)
  }
  all.forEach(add)
  return [...ordered]
}

/** A package entry: its specifier and the files behind its conditions. */
export interface Entry {
  readonly specifier: string
  readonly conditions: Readonly<Record<string, string>>
}

/**
 * The entries of a package. A pattern such as `./*` is expanded by the declarations in `folder`: each `index.d.ts` is
 * one, while files to run include the code that entries share.
 */
export const entriesOf = ({
  folder,
  manifest: { exports = {}, name }
}: {
  readonly folder: string
  readonly manifest: Pick<Manifest, "exports" | "name">
}): ReadonlyArray<Entry> =>
  Object.entries(exports).flatMap(([path, conditions]) => {
    const entryAt = (star: string): Entry => ({
      specifier: name + path.slice(1).replace("*", star),
      conditions: Object.fromEntries(
        Object.entries(conditions).map(([condition, target]) => [condition, target.replaceAll("*", star)])
      )
    })
    if (!path.includes("*")) return [entryAt("")]
    const [before = "", after = ""] = (conditions["types"] ?? "").slice(2).split("*")
    return globSync(`${before}**${after}`, { cwd: folder })
      .map((file) => file.replaceAll("\\", "/"))
      .sort()
      .map((file) => entryAt(file.slice(before.length, file.length - after.length)))
  })
