import { WrongUsage } from "../CommandFailed.ts"

const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(?:\.\d+){3}$/.test(host)

export const isOnThisMachine = ({ hostname }: URL): boolean => isLoopback(hostname)

/** An address by one name of this machine: localhost, 127.0.0.1 and [::1] lead to the same server. */
export const withoutAlias = (url: URL): URL => {
  if (!isOnThisMachine(url)) return url
  const named = new URL(url)
  named.hostname = "localhost"
  return named
}

/** Whether two addresses are of one server: scheme, host and port. */
export const isSameServer = (one: URL, other: URL): boolean =>
  withoutAlias(one).origin === withoutAlias(other).origin

/** Reads the address of a call. Without a scheme it is HTTPS, and on this machine HTTP. */
export const readUrl = (text: string): URL => {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
  const url = URL.parse(hasScheme ? text : `https://${text}`)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new WrongUsage(
      `URL must be an address such as https://shop.example/x402/search?q=desk: got ${text}`
    )
  if (!hasScheme && isOnThisMachine(url)) url.protocol = "http:"
  return url
}
