import { instance } from "@viz-js/viz"
import { directImports, importsBetween } from "./coreFolders.ts"

/*
 * Draws the folders of the core twice: its wings, and their folders. In the first, arrows are the imports of the
 * sources; in the second, what the table allows, without what another path implies.
 */

const wings: ReadonlyArray<readonly [name: string, has: (folder: string) => boolean]> = [
  ["till", (folder) => folder.startsWith("till")],
  ["shop", (folder) => folder.startsWith("shop/")],
  ["stores", (folder) => folder.startsWith("stores")],
  ["engine", () => true]
]
const wingOf = (folder: string): string => wings.find(([, has]) => has(folder))![0]

const quote = (text: string): string => JSON.stringify(text)

const style =
  'bgcolor=transparent; nodesep=0.25; ranksep=0.4; node [shape=box, style="rounded,filled", color="#57606a", fillcolor="#f6f8fa", fontname="sans-serif", fontsize=12, margin="0.15,0.06"]; edge [color="#57606a", arrowsize=0.6, fontname="sans-serif", fontsize=10]'

const dotOfWings = (): string => {
  const arrows = importsBetween()
    .map(({ from, to }) => [wingOf(from), wingOf(to)] as const)
    .filter(([above, below]) => above !== below)
    .map(([above, below]) => `${quote(above)} -> ${quote(below)}`)
  return ["digraph {", style, ...new Set(arrows), "}"].join("\n")
}

const dotOfFolders = (): string => {
  const clusters = wings.map(([name]) => {
    const folders = Object.keys(directImports).filter((folder) => wingOf(folder) === name)
    return `subgraph ${quote(`cluster ${name}`)} { label=${quote(name)}; color="#d0d7de"; fontname="sans-serif"; ${folders.map(quote).join("; ")} }`
  })
  const arrows = Object.entries(directImports).flatMap(([folder, below]) =>
    below.map((other) => `${quote(folder)} -> ${quote(other)}`)
  )
  return ["digraph {", style, ...clusters, ...arrows, "}"].join("\n")
}

/** The drawings, by their path. */
export const folderDrawings = async (): Promise<ReadonlyArray<readonly [path: string, svg: string]>> => {
  const viz = await instance()
  return (
    [
      ["docs/wings.svg", dotOfWings()],
      ["docs/folders.svg", dotOfFolders()]
    ] as const
  ).map(([path, dot]) => [path, viz.renderString(dot, { format: "svg" })])
}
