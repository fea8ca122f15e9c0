import { createRequire } from "node:module"

const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" }
const systems: ReadonlySet<string> = new Set(["linux", "darwin"])

/**
 * Returns the path of the anvil executable that npm installed for this machine.
 *
 * `@foundry-rs/anvil` contains no executable: optional packages, one per system, do. They are resolved from
 * `@foundry-rs/anvil`, since strict package managers hide them elsewhere.
 *
 * @throws Error if anvil is not published for this machine, or its package is not installed.
 */
export const anvilBinary = (
  platform: string = process.platform,
  architecture: string = process.arch
): string => {
  const arch = architectures[architecture]
  if (arch === undefined || !systems.has(platform)) {
    throw new Error(
      `The local chain runs on Linux and macOS, on x64 and arm64, but not on ${platform} ${architecture}.`
    )
  }
  const owner = createRequire(import.meta.url).resolve("@foundry-rs/anvil/package.json")
  const name = `@foundry-rs/anvil-${platform}-${arch}`
  try {
    return createRequire(owner).resolve(`${name}/bin/anvil`)
  } catch (cause) {
    throw new Error(
      `${name}, which contains the local chain, is not installed. It is an optional dependency of ` +
        `@foundry-rs/anvil: reinstall with optional dependencies.`,
      { cause }
    )
  }
}
