import { WrongUsage } from "../CommandFailed.ts"

const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(?:\.\d+){3}$/.test(host)

export const isOnThisMachine = ({ hostname }: URL): boolean => isLoopback(hostname)

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
