import { connect, type Socket } from "node:net"

/** Where a PostgreSQL server listens: a name or address and a port, or a folder that holds its socket. */
export interface PostgresAddress {
  readonly host: string
  readonly port: number
}

/**
 * The address in a connection string, whose parameters `host` and `port` come before its authority. A host in
 * the authority may be percent-encoded (a folder has to be). `undefined` where that can't be decoded.
 */
export const addressOf = (url: URL): PostgresAddress | undefined => {
  const port = Number(url.searchParams.get("port") ?? (url.port || 5432))
  try {
    const named = decodeURIComponent(url.hostname.replace(/^\[|\]$/g, ""))
    return { host: url.searchParams.get("host") ?? (named || "localhost"), port }
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

/**
 * Connects to a server, and gives the connection up where nothing was said or heard for so long. A server
 * keeps to the deadline of a statement; a host that died without a word, or a network that lost its way,
 * would hold the connection, and its place in the pool, for as long as the kernel repeats itself.
 *
 * @param silenceMillis longer than a statement may take, and than the pool keeps connections that are idle
 */
export const openSocket = ({ host, port }: PostgresAddress, silenceMillis: number): Socket => {
  const socket = connect(
    host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port, noDelay: true }
  )
  return socket.setTimeout(silenceMillis, () =>
    socket.destroy(new Error(`nothing heard of PostgreSQL for ${silenceMillis} ms`))
  )
}
