import { Agent, request } from "node:http"
import { type Challenge, readChallenge } from "./payments.ts"
import { searchPath } from "./sending.ts"

/*
 * Requests from loopback addresses of our own choice, over connections that stay open.
 */

export interface Reply {
  readonly status: number
  readonly text: string
  readonly challenge: string | undefined
}

/** Sends requests from one address; `0` is the status of a connection that broke. */
export const clientAt = (origin: string, localAddress: string) => {
  const agent = new Agent({ keepAlive: true, localAddress })
  return (payment?: string): Promise<Reply> =>
    new Promise((resolve) => {
      const broken = (error: Error): void => resolve({ status: 0, text: String(error), challenge: undefined })
      const headers = payment === undefined ? {} : { "payment-signature": payment }
      const sent = request(origin + searchPath, { agent, headers }, (response) => {
        let text = ""
        response.setEncoding("utf8")
        response.on("data", (chunk: string) => {
          text += chunk
        })
        response.on("end", () => {
          const challenge = response.headers["payment-required"] as string | undefined
          resolve({ status: response.statusCode!, text, challenge })
        })
        response.on("error", broken)
      })
      sent.on("error", broken)
      sent.end()
    })
}
export type Client = ReturnType<typeof clientAt>

/** Clients of so many addresses in one network. */
export const clientsAt = (origin: string, network: number, count: number): ReadonlyArray<Client> =>
  Array.from({ length: count }, (_, index) => clientAt(origin, `127.0.${network}.${index + 1}`))

/** The challenge of an unpaid request. */
export const challengeAt = async (client: Client): Promise<Challenge> => {
  const { challenge } = await client()
  return readChallenge(challenge)
}
