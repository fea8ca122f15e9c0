import { readFileSync } from "node:fs"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { filterProblems, problemKindInfo } from "@arethetypeswrong/core/problems"
import { publint } from "publint"
import { formatMessage } from "publint/utils"

/*
 * What publint and "are the types wrong" find in a packed package.
 */

const unpacked = (tarball: string): ArrayBuffer => {
  const bytes = readFileSync(tarball)
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer
}

/** All messages of publint: errors, warnings and suggestions. */
const publintFaults = async (tarball: string): Promise<ReadonlyArray<string>> => {
  const { messages, pkg } = await publint({ pack: { tarball: unpacked(tarball) }, strict: true })
  return messages.map(
    (message) => `publint: ${formatMessage(message, pkg as Record<string, unknown>, { color: false })}`
  )
}

/**
 * Problems that hosts of ES modules have, by `node16` and by bundlers. `require` of one loads it in each supported Node,
 * and the resolution of TypeScript before 4.7 knows no `exports`.
 */
const typeFaults = async (
  tarball: string,
  entrypoints: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  const found = await checkPackage(createPackageFromTarballData(readFileSync(tarball)), {
    entrypoints: [...entrypoints]
  })
  if (found.types === false) return ["types: the package has none"]
  const problems = (["node16-esm", "bundler"] as const).flatMap((resolutionKind) =>
    filterProblems(found, { resolutionKind })
  )
  return [...new Set(problems)].map(
    (problem) => `types: ${problemKindInfo[problem.kind].title}: ${JSON.stringify(problem)}`
  )
}

/** Faults of a tarball, one line each; `entrypoints` are its entries, such as `./effect`. */
export const packageFaults = async (
  tarball: string,
  entrypoints: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => [
  ...(await publintFaults(tarball)),
  ...(await typeFaults(tarball, entrypoints))
]
