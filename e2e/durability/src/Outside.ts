import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import type { Moment } from "./Moments.ts"

/** An order that exists upstream. */
export interface Placement {
  readonly orderId: string
  /** The ordered quote. */
  readonly reference: string
  readonly email: string
}

/** A vault purchase that a server was about to write. */
export interface Reservation {
  readonly id: string
  readonly email: string
}

export interface SentMail {
  readonly to: string
  readonly idempotencyKey: string
}

/**
 * The external services, which outlive the servers: the facilitator, and the upstream for orders and emails. They
 * record every request before they respond.
 */
export interface Outside {
  readonly url: string
  readonly placements: ReadonlyArray<Placement>
  readonly reservations: ReadonlyArray<Reservation>
  readonly mails: ReadonlyArray<SentMail>
  /** Called at each moment with the server's name, before anything else happens. */
  readonly watch: (watcher: ((moment: Moment, server: string) => void) | undefined) => void
  readonly stop: () => Promise<void>
}

const bodyLimitBytes = 64 * 1024

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > bodyLimitBytes) throw new Error(`a call to the outside is over ${bodyLimitBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

interface ReceivedResponse {
  readonly status: number
  readonly text: string
}

const json = (value: unknown): ReceivedResponse => ({ status: 200, text: JSON.stringify(value) })

/** Forwards a call to the facilitator, even if its sender dies meanwhile. */
const forward = async (
  facilitatorUrl: string | undefined,
  path: string,
  method: string,
  body: string
): Promise<ReceivedResponse> => {
  if (facilitatorUrl === undefined) throw new Error("the servers settle by themselves")
  const response = await fetch(new URL(path, facilitatorUrl), {
    method,
    ...(method === "POST" ? { body, headers: { "content-type": "application/json" } } : {}),
    signal: AbortSignal.timeout(30_000)
  })
  return { status: response.status, text: await response.text() }
}

/** Starts the external services on the loopback interface, in front of the facilitator at `facilitatorUrl`, if any. */
export const startOutside = async (facilitatorUrl: string | undefined): Promise<Outside> => {
  const placements: Array<Placement> = []
  const reservations: Array<Reservation> = []
  const mails: Array<SentMail> = []
  let watcher: ((moment: Moment, server: string) => void) | undefined

  const respond = async (request: IncomingMessage): Promise<ReceivedResponse> => {
    const server = String(request.headers["x-server"])
    const reach = (moment: Moment) => watcher?.(moment, server)
    const body = await readBody(request)
    switch (request.url) {
      case "/supported":
        return forward(facilitatorUrl, "/supported", "GET", body)
      case "/verify": {
        reach("verify")
        const verified = await forward(facilitatorUrl, "/verify", "POST", body)
        reach("verified")
        return verified
      }
      case "/settle": {
        reach("settle")
        const settled = await forward(facilitatorUrl, "/settle", "POST", body)
        reach("settled")
        return settled
      }
      case "/orders": {
        reach("place")
        const placement = JSON.parse(body) as Placement
        placements.push(placement)
        reach("placed")
        return json({ reference: `upstream-${placement.orderId}` })
      }
      case "/orders/find": {
        const { orderId } = JSON.parse(body) as { readonly orderId: string }
        const isPlaced = placements.some((placement) => placement.orderId === orderId)
        return json(isPlaced ? { reference: `upstream-${orderId}` } : {})
      }
      case "/reservations":
        reach("reserve")
        reservations.push(JSON.parse(body) as Reservation)
        return json({})
      case "/mails":
        reach("mail")
        mails.push(JSON.parse(body) as SentMail)
        return json({})
      case "/moments":
        reach((JSON.parse(body) as { readonly moment: Moment }).moment)
        return json({})
      default:
        return { status: 404, text: "{}" }
    }
  }

  const server = createServer((request, response) => {
    const send = ({ status, text }: ReceivedResponse) =>
      response.writeHead(status, { "content-type": "application/json" }).end(text)
    respond(request).then(send, (error: unknown) => {
      // A sender that was killed meanwhile gets no response.
      if (request.socket.destroyed) return
      send({ status: 500, text: JSON.stringify({ error: String(error) }) })
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => resolve())
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    placements,
    reservations,
    mails,
    watch: (next) => {
      watcher = next
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
