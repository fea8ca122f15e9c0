import { dirname } from "node:path"
import type { Tarball } from "./Stage.ts"
import { outcome, ReleaseRefused, run } from "./Tool.ts"

/*
 * The registry that npm is configured for.
 */

/** Whether the registry has this version of a package already. */
export const isPublished = ({ file, manifest: { name, version } }: Tarball): boolean => {
  const args = ["view", `${name}@${version}`, "version", "--json", "--loglevel=error"]
  const { code, complaint, output } = outcome("npm", args, dirname(file))
  if (code === 0) return output.trim() !== ""
  if (/\bE404\b/.test(output + complaint)) return false
  throw new ReleaseRefused(`The registry doesn't say whether it has ${name}:\n${output}${complaint}`)
}

/** Publishes a tarball as it was checked. */
export const publish = ({ file, manifest }: Tarball, withProvenance: boolean): void => {
  const tag = manifest.version.includes("-") ? ["--tag", "next"] : []
  // What the command line says has priority over the manifest's `publishConfig`.
  const provenance = withProvenance ? [] : ["--provenance=false"]
  run("npm", ["publish", file, "--access=public", "--loglevel=error", ...tag, ...provenance], dirname(file))
}
