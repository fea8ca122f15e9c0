import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import type { FacilitatorClient } from "@till402/core"
import { onTestFinished } from "vitest"

/*
 * A facilitator over HTTP that verifies honestly and settles according to its mode, and the client that servers use to
 * reach it. It moves money with an honest facilitator on a real chain.
 */

type Settle = FacilitatorClient["settle"]

/** The response to a settlement: a document with its status, or none. */
export type SettleResponse = { readonly status: number; readonly document: unknown } | "never"

/** How a facilitator settles; `honest` moves the money for real. */
export type Mode = (...settling: [...Parameters<Settle>, honest: Settle]) => Promise<SettleResponse>

const ok = (document: unknown): SettleResponse => ({ status: 200, document })

/** How long servers wait for a settlement, with or without a response. */
export const patientMillis = 10_000
export const impatientMillis = 300
const slownessMillis = 500

const sleep = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

export const modes = {
  clean: async (payment, requirements, honest) => ok(await honest(payment, requirements)),
  /** Moves the money and never responds. */
  silent: async (payment, requirements, honest) => {
    await honest(payment, requirements)
    return "never"
  },
  /** Moves the money and fails. */
  broken: async (payment, requirements, honest) => {
    await honest(payment, requirements)
    return { status: 502, document: { error: "upstream connect error" } }
  },
  /** Submits each settlement twice and responds with the second outcome. */
  duplicate: async (payment, requirements, honest) => {
    await honest(payment, requirements)
    return ok(await honest(payment, requirements))
  },
  /** Reports a duplicate settlement. */
  duplicateByName: async (payment, requirements, honest) => {
    await honest(payment, requirements)
    return ok({ success: false, errorReason: "duplicate_settlement", transaction: "" })
  },
  /** Moves the money after all callers have given up. */
  slow: async (payment, requirements, honest) => {
    await sleep(slownessMillis)
    return ok(await honest(payment, requirements))
  },
  /** Reports a settlement, but moves no money. */
  lying: async () => ok({ success: true, transaction: `0x${"ab".repeat(32)}` })
} satisfies Record<string, Mode>

export interface HostileFacilitator {
  readonly url: string
  /** How long callers wait for a settlement. */
  readonly settleTimeoutMillis: number
  /** A simple client that throws on unexpected responses. */
  readonly client: FacilitatorClient
  /** Changes how it settles. */
  readonly become: (mode: Mode) => void
  /** Number of settle calls. */
  readonly settlements: () => number
  readonly verifications: () => number
  /** Resolves once nothing is in flight. */
  readonly idle: () => Promise<void>
}

const readJson = async (
  request: IncomingMessage
): Promise<{ readonly paymentPayload: unknown; readonly paymentRequirements: unknown }> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString("utf8"))
}

const clientOf = (url: string, settleTimeoutMillis: number): FacilitatorClient => {
  const post = async (
    operation: string,
    paymentPayload: unknown,
    paymentRequirements: unknown,
    timeoutMillis: number
  ) => {
    const response = await fetch(`${url}/${operation}`, {
      method: "POST",
      body: JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements }),
      signal: AbortSignal.timeout(timeoutMillis)
    })
    if (!response.ok) throw new Error(`the facilitator returned ${response.status}`)
    return response.json()
  }
  return {
    verify: async (payment, requirements) =>
      (await post("verify", payment, requirements, patientMillis)) as Awaited<
        ReturnType<FacilitatorClient["verify"]>
      >,
    settle: async (payment, requirements) =>
      (await post("settle", payment, requirements, settleTimeoutMillis)) as Awaited<ReturnType<Settle>>
  }
}

/** Opens one for the duration of a test. */
export const openHostile = async (
  honest: FacilitatorClient,
  first: Mode,
  settleTimeoutMillis = patientMillis
): Promise<HostileFacilitator> => {
  let mode = first
  let settlements = 0
  let verifications = 0
  const running = new Set<Promise<SettleResponse>>()

  const settle = (payment: unknown, requirements: unknown): Promise<SettleResponse> => {
    settlements++
    const settling = mode(payment, requirements, honest.settle)
    running.add(settling)
    const isOver = () => running.delete(settling)
    settling.then(isOver, isOver)
    return settling
  }

  const respond = async (request: IncomingMessage): Promise<SettleResponse> => {
    if (request.url === "/supported")
      return ok({ kinds: [{ x402Version: 2, scheme: "exact", network: "eip155:84532" }] })
    const { paymentPayload, paymentRequirements } = await readJson(request)
    if (request.url === "/settle") return settle(paymentPayload, paymentRequirements)
    verifications++
    return ok(await honest.verify(paymentPayload, paymentRequirements))
  }

  const server = createServer((request, response) => {
    respond(request).then(
      (scripted) => {
        if (scripted !== "never")
          response
            .writeHead(scripted.status, { "content-type": "application/json" })
            .end(JSON.stringify(scripted.document))
      },
      (error: unknown) => response.writeHead(500).end(String(error))
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  )
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    settleTimeoutMillis,
    client: clientOf(url, settleTimeoutMillis),
    become: (next) => {
      mode = next
    },
    settlements: () => settlements,
    verifications: () => verifications,
    idle: async () => {
      await Promise.allSettled(running)
    }
  }
}
