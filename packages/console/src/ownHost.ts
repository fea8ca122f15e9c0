import { isIP } from "node:net"

/**
 * Whether the `Host` of a request names this machine. A website could otherwise have its own name resolve to this machine,
 * and read what is served here as a page of the same origin. It can't do that with an IP address.
 *
 * @param names others that requests may give
 */
export const isOwnHost = (host: string | undefined, ...names: ReadonlyArray<string | undefined>): boolean => {
  if (host === undefined) return true
  const name = URL.parse(`http://${host}`)?.hostname
  if (name === undefined) return false
  return (
    name === "localhost" ||
    name.endsWith(".localhost") ||
    names.some((own) => name === own?.toLowerCase()) ||
    isIP(name.replaceAll(/[[\]]/g, "")) !== 0
  )
}
