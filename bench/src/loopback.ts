import { Agent, request } from "node:http"

/*
 * Requests from loopback addresses of our own choice, over connections that stay open.
 */

export const searchPath = "/x402/search?q=mouse"

export interface Reply {
  readonly status: number
  readonly text: string
  readonly challenge: string | undefined
}

/** Sends requests from one address; `0` is the status of a connection that broke. */
export const clientAt = (origin: string, localAddress: string) => {
  const agent = new Agent({ keepAlive: true, localAddress })
  return (payment?: string, path = searchPath): Promise<Reply> =>
    new Promise((resolve) => {
      const headers = payment === undefined ? {} : { "payment-signature": payment }
      const sent = request(origin + path, { agent, headers }, (response) => {
        let text = ""
        response.setEncoding("utf8")
        response.on("data", (chunk: string) => {
          text += chunk
        })
        response.on("end", () => {
          const challenge = response.headers["payment-required"] as string | undefined
          resolve({ status: response.statusCode!, text, challenge })
        })
        response.on("error", (error) => resolve({ status: 0, text: String(error), challenge: undefined }))
      })
      sent.on("error", (error) => resolve({ status: 0, text: String(error), challenge: undefined }))
      sent.end()
    })
}
export type Client = ReturnType<typeof clientAt>

/** The challenge of an unpaid request. */
export const challengeAt = async (client: Client) => {
  const { challenge } = await client()
  return JSON.parse(Buffer.from(challenge!, "base64").toString("utf8")) as {
    readonly accepts: ReadonlyArray<{ readonly maxTimeoutSeconds: number }>
    readonly resource: unknown
  }
}
