import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"

/** Bytes of a bundle after gzip: of what the entry loads at once, and with what it loads when needed. */
export interface BundleSize {
  readonly atOnce: number
  readonly all: number
}

const coreEntry = new URL("../../packages/core/src/index.ts", import.meta.url).pathname

/** Bundles an entry, minified, and measures it. Nothing is written to the disk. */
export const bundleSize = async (input = coreEntry): Promise<BundleSize> => {
  const bundle = await rolldown({
    input,
    platform: "node",
    external: [/^node:/],
    resolve: { conditionNames: ["@till402/source", "import", "module", "default"] },
    onwarn: () => undefined
  })
  const { output } = await bundle.generate({ format: "esm", minify: true })
  await bundle.close()
  const chunks = new Map(output.flatMap((file) => (file.type === "chunk" ? [[file.fileName, file]] : [])))
  const atOnce = new Set<string>()
  const visit = (name: string): void => {
    const chunk = chunks.get(name)
    if (chunk === undefined || atOnce.has(name)) return
    atOnce.add(name)
    chunk.imports.forEach(visit)
  }
  for (const chunk of chunks.values()) if (chunk.isEntry) visit(chunk.fileName)
  const bytesOf = (names: Iterable<string>): number =>
    [...names].reduce((sum, name) => sum + gzipSync(chunks.get(name)?.code ?? "", { level: 9 }).length, 0)
  return { atOnce: bytesOf(atOnce), all: bytesOf(chunks.keys()) }
}
