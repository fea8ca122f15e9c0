import { type Agent, type IncomingMessage, request as httpRequest, type RequestOptions } from "node:http"
import { connect, type Socket } from "node:net"
import { buffer } from "node:stream/consumers"

/* A client over a real socket that sends exact bytes and exposes the complete response. */

export interface Sent {
  readonly method?: string
  /** Names and values in turn; a list, so that a name can occur twice. */
  readonly headers?: Readonly<Record<string, string>> | ReadonlyArray<string>
  readonly body?: string | Uint8Array
  readonly agent?: Agent
  /** The `Host` header; default: the request's target. */
  readonly host?: string
  /** Sends the body in chunks, without its length. */
  readonly chunked?: boolean
}

export interface Received {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  readonly rawHeaders: ReadonlyArray<string>
  readonly bytes: Buffer
  readonly text: string
}

/** Opens a request; resolves when the response's head has arrived. */
export const open = (port: number, path: string, sent: Sent = {}): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { agent, body, chunked = false, headers = {}, host = `127.0.0.1:${port}`, method = "GET" } = sent
    const length: ReadonlyArray<string> =
      body === undefined
        ? []
        : chunked
          ? ["transfer-encoding", "chunked"]
          : ["content-length", `${Buffer.byteLength(body)}`]
    const given = Array.isArray(headers) ? (headers as ReadonlyArray<string>) : Object.entries(headers).flat()
    const options: RequestOptions = {
      host: "127.0.0.1",
      port,
      path,
      method,
      agent: agent ?? false,
      // Node sends a list of headers unchanged, so it must contain `Host`.
      headers: ["host", host, ...length, ...given]
    }
    httpRequest(options, resolve).on("error", reject).end(body)
  })

/** Sends a request and reads the whole response. */
export const send = async (port: number, path: string, sent: Sent = {}): Promise<Received> => {
  const message = await open(port, path, sent)
  const bytes = await buffer(message)
  const { headers, rawHeaders, statusCode } = message
  return { status: statusCode!, headers, rawHeaders, bytes, text: bytes.toString("utf8") }
}

/** Sends raw bytes on a separate connection, which the caller destroys. */
export const openRaw = (port: number, bytes: string): Socket => {
  const socket = connect(port, "127.0.0.1", () => socket.write(bytes, "latin1"))
  return socket
}

/** Sends raw bytes on a separate connection and reads until it ends. */
export const sendRaw = (port: number, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = openRaw(port, bytes)
    const chunks: Array<Buffer> = []
    socket.on("data", (chunk: Buffer) => chunks.push(chunk))
    socket.on("end", () => resolve(Buffer.concat(chunks).toString("latin1")))
    socket.on("error", reject)
  })
