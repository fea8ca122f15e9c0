import { connect, type Socket } from "node:net"

/** Where a PostgreSQL server listens: a host name or address and a port, or the folder of its socket. */
export interface PostgresAddress {
  readonly host: string
  readonly port: number
}

/**
 * Reads the address from a connection string. Its parameters `host` and `port` take precedence over its authority,
 * where the host may be percent-encoded (a folder must be).
 *
 * @returns `undefined` if the host can't be decoded
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
 * Connects to a server, and closes the connection after a time of silence. A server that died, or a network that lost
 * the connection, would otherwise hold it and its place in the pool for as long as the kernel retransmits.
 *
 * @param silenceMillis longer than a statement may take, and than the pool keeps idle connections
 */
export const openSocket = ({ host, port }: PostgresAddress, silenceMillis: number): Socket => {
  const socket = connect(
    host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port, noDelay: true }
  )
  return socket.setTimeout(silenceMillis, () =>
    socket.destroy(new Error(`no data from PostgreSQL for ${silenceMillis} ms`))
  )
}
